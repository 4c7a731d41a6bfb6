import type { UserId } from '@quillgate/server/core'
import type { RequestContext } from '@quillgate/server/http'

/** The content of an application's own session, see the option `session`. */
export interface OwnSession {
  /** The user whom the session is of. */
  readonly userId: UserId
  /** `uid` of the device that `login` gave. */
  readonly deviceUid: string | null | undefined
  /** The id of the session, if `login` was told it: then no other session of this device counts. */
  readonly sessionId?: string | undefined
}

/** The option `session`: reads the application's own session of a request. */
export type ReadSession = (
  context: RequestContext,
) => OwnSession | null | undefined | Promise<OwnSession | null | undefined>
