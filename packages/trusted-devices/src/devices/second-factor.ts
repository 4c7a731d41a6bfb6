import { ConfigurationError } from '@quillgate/server/core'
import { type ActingDevice, requireActing, requireOwn } from './acting-device.ts'
import type { Change } from './changes.ts'
import type { Outcome } from './device-event.ts'
import { findDevice } from './device-use.ts'
import { requireMayEdit } from './permissions.ts'
import type { Parts } from './registry-parts.ts'

/**
 * Remembers on a device that its user has just shown a second factor there.
 *
 * @param seconds how long; 30 days by default and at most
 * @returns until when; null when the device was revoked meanwhile
 * @throws ConfigurationError for a time that is longer, or none
 */
export async function rememberSecondFactor(
  parts: Parts<'cache' | 'clock' | 'db' | 'settings' | 'table'>,
  { uid, userId }: ActingDevice,
  seconds: number = parts.settings.secondFactorLifetime,
): Promise<Date | null> {
  const { secondFactorLifetime } = parts.settings
  if (!(typeof seconds === 'number' && seconds > 0 && seconds <= secondFactorLifetime)) {
    const problem = `must be a number of seconds above 0, at most ${secondFactorLifetime}`
    throw new ConfigurationError('for', problem, seconds)
  }
  const until = Math.floor(parts.clock() + seconds * 1000)
  const device = { uid, userId }
  const isThere = await parts.table.updateSecondFactor(parts.db.executor, device, until)
  parts.cache.forget(uid)
  return isThere ? new Date(until) : null
}

/**
 * Returns true if the second factor of a user is remembered for the browser that sent this device
 * credential. Only the current credential counts. A copy of the previous one is worth nothing, and
 * a client that lost an answer is asked for the second factor once more.
 *
 * @param credential verified and of this user, or null
 */
export async function isSecondFactorRemembered(
  parts: Parts<'clock' | 'db' | 'settings' | 'table'>,
  userId: string,
  credential: { readonly uid: string; readonly counter: number } | null,
): Promise<boolean> {
  const record = credential && (await findDevice(parts, credential.uid))
  if (!credential || record?.device.userId !== userId) return false
  if (credential.counter !== record.credentialCounter) return false
  const until = record.device.secondFactorRememberedUntil?.getTime() ?? 0
  const now = parts.clock()
  // Further ahead than any could be: the setting was lowered since, or the clock was set back.
  return now < until && until <= now + parts.settings.secondFactorLifetime * 1000
}

/**
 * The application forgets the second factor on one device of a user, or on all of them.
 *
 * @param uid null: all
 * @returns on how many it was remembered
 */
export function forgetSecondFactor(
  parts: Parts<'changes' | 'table'>,
  userId: string,
  uid: string | null,
): Promise<Outcome<number>> {
  return parts.changes.run(userId, (change) => clearSecondFactor(parts, change, userId, uid))
}

/**
 * A device forgets the second factor on a device of its user. On itself it always may.
 *
 * @throws QuillgateError 401 when the acting device is gone, 404 `device_not_found`, and those of
 * `requireMayEdit`
 */
export function forgetSecondFactorAs(
  parts: Parts<'changes' | 'settings' | 'table'>,
  acting: ActingDevice,
  uid: string,
): Promise<Outcome<number>> {
  return parts.changes.run(acting.userId, async (change) => {
    const actor = await requireActing(parts.table, change.tx, acting)
    const target = await requireOwn(parts.table, change.tx, acting.userId, uid)
    if (target.device.uid !== actor.device.uid)
      requireMayEdit(actor, target, {}, parts.settings, change.now)
    return clearSecondFactor(parts, change, acting.userId, uid)
  })
}

/** Runs under the owner's lock. @param uid null: all devices of the user */
export async function clearSecondFactor(
  { table }: Parts<'table'>,
  { tx, changed }: Pick<Change, 'tx' | 'changed'>,
  userId: string,
  uid: string | null,
): Promise<number> {
  const cleared = await table.clearSecondFactor(tx, userId, uid)
  for (const each of cleared) changed(each)
  return cleared.length
}
