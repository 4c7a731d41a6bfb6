import type { ConnectionInfo, Logger } from '@quillgate/server'
import type { CsrfUser } from '@quillgate/server/http'
import { openContext } from '../../src/http/context.ts'
import { createCsrf } from '../../src/http/csrf/csrf.ts'
import { createNetwork, type NetworkOptions } from '../../src/http/network/network.ts'

export interface SentRequest extends ConnectionInfo {
  readonly request: Request
}

export interface IssuedToken {
  readonly token: string
  readonly headers: Headers
}

/** The CSRF protection of an application object, with the cookies of each call as headers. */
export interface TestCsrf {
  issue(sent: SentRequest, user?: CsrfUser | null): IssuedToken
  verify(sent: SentRequest, token: string | null, user?: CsrfUser | null): boolean
  session(sent: SentRequest): string | null
  rotate(sent: SentRequest, user?: CsrfUser | null): IssuedToken & { previous: string | null }
}

export function createTestCsrf({
  secret,
  logger = { warn: () => {} },
  ...place
}: {
  readonly secret: string | readonly string[]
  readonly logger?: Partial<Logger> & Pick<Logger, 'warn'>
} & NetworkOptions): TestCsrf {
  const csrf = createCsrf({ secret, logger, network: createNetwork(place) })
  const contextOf = ({ request, ...connection }: SentRequest) => openContext(request, connection)
  const headersOf = ({ cookies }: ReturnType<typeof openContext>): Headers => {
    const headers = new Headers()
    for (const cookie of cookies.take(null)) headers.append('set-cookie', cookie)
    return headers
  }
  return {
    issue(sent, user = null) {
      const context = contextOf(sent)
      const token = csrf.token(context, user)
      return { token, headers: headersOf(context) }
    },
    verify: (sent, token, user = null) => csrf.verify(contextOf(sent), token, user) as boolean,
    session: (sent) => csrf.session(contextOf(sent)),
    rotate(sent, user = null) {
      const context = contextOf(sent)
      csrf.rotate(context)
      const previous = context.csrf?.previous ?? null
      const token = csrf.token(context, user)
      return { token, headers: headersOf(context), previous }
    },
  }
}
