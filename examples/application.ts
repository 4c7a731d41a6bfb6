// The application to which the examples add Quillgate. It has users, pages and posts.

/** A user of the application. */
export interface User {
  readonly id: string
  readonly name: string
}

const ada: User = { id: '1', name: 'ada' }

/** At least 32 bytes; a real application reads it from its environment. */
export const secret = process.env['SECRET'] ?? 'only-for-examples-only-for-examples'

/** Everybody is signed in as ada here. A real application reads its session, and returns null for a guest. */
export const currentUser = (_req: unknown): User | null => ada

/** Finds a user by id. */
export const findUser = (id: string): User | null => (id === ada.id ? ada : null)

/** Checks a password. */
export const checkPassword = (name: string, password: string): User | null =>
  name === ada.name && password === 'quillgate' ? ada : null

/** The posts of the application. */
export const posts: string[] = []

/** A page with a form; a real application has templates. */
export const formPage = (head: string, csrfToken: string, fields: string): string =>
  `<!doctype html>${head}<form method="post"><input type="hidden" name="csrf_token" value="${csrfToken}">${fields}<button>Send</button></form>`
