// The application to which the examples add Quillgate. It has users, pages and posts.

/** A user of the application. Trusted devices read the properties `id` and `username`. */
export interface User {
  readonly id: string
  readonly username: string
}

const ada: User = { id: '1', username: 'ada' }

/** A secret of at least 32 bytes. A real application reads the secret from its environment. */
export const secret = process.env['SECRET'] ?? 'only-for-examples-only-for-examples'

/**
 * Returns the signed-in user. Here, everybody is ada. A real application reads its session, and
 * returns null for a guest.
 */
export const currentUser = (_req: unknown): User | null => ada

export const findUser = (id: string): User | null => (id === ada.id ? ada : null)

export const checkPassword = (username: string, password: string): User | null =>
  username === ada.username && password === 'quillgate' ? ada : null

export const posts: string[] = []

/** A real application uses templates. */
export const formPage = (head: string, csrfToken: string, fields: string): string =>
  `<!doctype html>${head}<form method="post"><input type="hidden" name="csrf_token" value="${csrfToken}">${fields}<button>Send</button></form>`
