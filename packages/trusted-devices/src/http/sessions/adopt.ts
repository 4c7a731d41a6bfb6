import type { RequestContext } from '@quillgate/server/http'
import { checkSessionId } from '../../devices/live-devices.ts'
import { adoptSession } from '../../devices/login/adopt.ts'
import type { TrustedDevice } from '../../devices/trusted-device.ts'
import type { User } from '../../devices/users.ts'
import type { HttpParts } from '../http-parts.ts'
import { setIdentity } from './identify.ts'
import { hand, readAttempt } from './sign-in.ts'
import { requireCookies } from './sign-out.ts'

/**
 * Registers the device of a live session of the application. @returns null when the session must
 * end
 */
export async function adopt(
  parts: HttpParts,
  user: User,
  context: RequestContext,
  sessionId: string,
): Promise<TrustedDevice | null> {
  requireCookies(context, 'adopt')
  const id = checkSessionId(sessionId)
  const userId = parts.users.idOf(user)
  if (!(await parts.users.isActive(user))) return null
  const sent = parts.cookies.credential(context, userId)
  const session = await readAttempt(parts, context, { userId, sent, sessionId: id })
  const { result: record, events } = await adoptSession(
    parts.registry.changes,
    parts.registry.settings,
    session,
  )
  if (!record) return null
  await hand(parts, context, record, 'session')
  setIdentity(parts, context, { user, record, transport: 'session', isRenewed: false })
  await parts.publish(events, user)
  return record.device
}
