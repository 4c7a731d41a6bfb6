import type { RequestContext } from '@quillgate/server/http'
import { parseUserAgent, type UserAgentInfo } from '../../network/user-agent.ts'
import type { HttpParts } from '../http-parts.ts'

/** The description of a device in the headers of its login. */
export interface LoginHeaders extends UserAgentInfo {
  /** The address as it is kept; null when it is unknown. */
  readonly address: string | null
}

/**
 * Reads all that a login takes from headers. The login guard also calls it before the password is
 * checked. A header that cannot be read then fails alike for right and wrong passwords.
 */
export function readHeaders(parts: HttpParts, context: RequestContext): LoginHeaders {
  parts.network.origin(context) // Decides on cookies after the login.
  parts.cookies.session(context)
  const userAgent = parseUserAgent(context.request.headers.get('user-agent'))
  return { ...userAgent, address: parts.keptAddress(context) }
}
