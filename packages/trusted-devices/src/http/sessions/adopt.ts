import type { RequestContext } from '@quillgate/server/http'
import { checkSessionId } from '../../devices/application-session.ts'
import { adoptSession } from '../../devices/login/adopt.ts'
import type { User } from '../../devices/user.ts'
import type { Adoption } from '../../options.ts'
import type { HttpParts } from '../http-parts.ts'
import { hand, readAttempt } from './sign-in.ts'

/** Registers the device of a live session of the application. @returns null when the session must end */
export async function adopt(
  parts: HttpParts,
  user: User,
  context: RequestContext,
  sessionId: string,
): Promise<Adoption | null> {
  const id = checkSessionId(sessionId)
  const userId = parts.users.idOf(user)
  if (!(await parts.users.isActive(user))) return null
  const sent = parts.cookies.credential(context, userId)
  const session = await readAttempt(parts, context, { userId, sent, sessionId: id })
  const { result: record, facts } = await adoptSession(parts.registry, session)
  if (!record) return null
  const { headers } = await hand(parts, context, record, 'session')
  await parts.publish(facts, user)
  return { device: record.device, headers }
}
