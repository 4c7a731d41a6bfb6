import { createTestCsrf, type TestCsrf } from '../../../../server/test/support/test-csrf.ts'
import { ORIGIN } from '../../editor-fixture.ts'

export const SECRET = 'a secret of at least thirty-two bytes'

/** Somebody who uploads, finalizes and saves. */
export interface Person {
  /** What the ledger calls them. */
  readonly owner: string
  /** As an owner or actor of the editor's functions. */
  readonly identity: { readonly id: string } | { readonly session: string }
  /** What their browser or client sends with each request. */
  readonly headers: Readonly<Record<string, string>>
}

/** Decides on ada's files too, by `canManage`. */
const MODERATOR = 'user:mod'
const MODERATED = 'user:ada'

/** Whether somebody may finalize a file of this owner, and decides on its life. */
export function mayDecide(owner: string, fileOwner: string): boolean {
  return owner === fileOwner || (owner === MODERATOR && fileOwner === MODERATED)
}

export function signedIn(id: string): Person {
  return { owner: `user:${id}`, identity: { id }, headers: { authorization: `Bearer ${id}` } }
}

/** A visitor with a fresh anonymous session, made as an application makes it. */
export function visitor(csrf: TestCsrf): Person {
  const { token, headers } = csrf.issue({ request: new Request(`${ORIGIN}/new`) })
  const cookie = headers.get('set-cookie')?.split(';')[0] ?? ''
  const session = csrf.session({ request: new Request(ORIGIN, { headers: { cookie } }) })
  if (session === null) throw new Error('No anonymous session was begun.')
  return {
    owner: `anon:${session}`,
    identity: { session },
    headers: { cookie, 'x-csrf-token': token, origin: ORIGIN },
  }
}

export const csrf: TestCsrf = createTestCsrf({ secret: SECRET })
