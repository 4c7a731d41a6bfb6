import type { RequestContext } from '@quillgate/server/http'
import type { ApplicationSession } from '../../devices/application-session.ts'
import type { TrustedDevicesOptions } from '../../options.ts'
import { parseUuid } from '../../uuid.ts'

/**
 * Creates the reader of the application's own sessions. A session without a device, such as one
 * from before this component was installed, signs in no device.
 */
export function readOwnSession(
  read: TrustedDevicesOptions['session'],
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
