import type { UserId } from '@quillgate/server/core'
import type { RequestContext } from '@quillgate/server/http'
import type { ApplicationSession } from '../../devices/live-devices.ts'
import { parseUuid } from '../../uuid.ts'

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

/**
 * Creates the reader of the application's own sessions. A session without a device, such as one
 * from before this component was installed, signs in no device.
 */
export function readOwnSession(
  read: ReadSession | undefined,
  toUserId: (id: unknown) => string,
): ((context: RequestContext) => Promise<ApplicationSession | null>) | null {
  if (!read) return null
  return async (context) => {
    const session = (await read(context)) ?? null
    const deviceUid = typeof session?.deviceUid === 'string' ? parseUuid(session.deviceUid) : null
    if (!session || deviceUid === null) return null
    return { userId: toUserId(session.userId), deviceUid, sessionId: session.sessionId ?? null }
  }
}
