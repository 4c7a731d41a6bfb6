import type { UserId } from '@quillgate/server/core'
import type { RequestContext } from '@quillgate/server/http'

/** The content of an application's own session, which the option `session` returns. */
export interface OwnSession {
  /** The id of the signed-in user. */
  readonly userId: UserId
  /** The `uid` of the device that `login` returned. */
  readonly deviceUid: string | null | undefined
  /**
   * The id of the session, if it was passed to `login`. Other sessions of the device are then
   * rejected.
   */
  readonly sessionId?: string | undefined
}

/**
 * The type of the option `session`, a function that reads the application's own session of a
 * request.
 */
export type ReadSession = (
  context: RequestContext,
) => OwnSession | null | undefined | Promise<OwnSession | null | undefined>
