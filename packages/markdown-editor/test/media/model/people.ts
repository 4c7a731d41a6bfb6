import { createTestCsrf, type TestCsrf } from '../../../../server/test/support/test-csrf.ts'
import { ORIGIN } from '../../editor-fixture.ts'

export const SECRET = 'a secret of at least thirty-two bytes'

export interface Person {
  /** The owner key in the ledger. */
  readonly owner: string
  /** The owner or actor for methods of the editor. */
  readonly identity: { readonly id: string } | { readonly session: string }
  readonly headers: Readonly<Record<string, string>>
}

/** A user who may manage the files of `MODERATED` too, through `canManage`. */
const MODERATOR = 'user:mod'
const MODERATED = 'user:ada'

/** Both arguments are owner keys. */
export function mayDecide(owner: string, fileOwner: string): boolean {
  return owner === fileOwner || (owner === MODERATOR && fileOwner === MODERATED)
}

export function signedIn(id: string): Person {
  return { owner: `user:${id}`, identity: { id }, headers: { authorization: `Bearer ${id}` } }
}

export function visitor(csrf: TestCsrf): Person {
  const { token, headers } = csrf.issue({ request: new Request(`${ORIGIN}/new`) })
  const cookie = headers.get('set-cookie')?.split(';')[0] ?? ''
  const session = csrf.session({ request: new Request(ORIGIN, { headers: { cookie } }) })
  if (session === null) throw new Error('No anonymous session was created.')
  return {
    owner: `anon:${session}`,
    identity: { session },
    headers: { cookie, 'x-csrf-token': token, origin: ORIGIN },
  }
}

export const csrf: TestCsrf = createTestCsrf({ secret: SECRET })
