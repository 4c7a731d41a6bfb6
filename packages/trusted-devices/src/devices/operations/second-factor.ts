import { ConfigurationError } from '@quillgate/server/core'
import type { Outcome } from '../facts.ts'
import { requireMayEdit } from '../permissions.ts'
import type { RegistryParts } from '../registry-parts.ts'
import { affectedBy, rowsOf } from '../tables/device-database.ts'
import {
  type ActingDevice,
  type Change,
  changeDevices,
  requireActing,
  requireOwn,
} from './change.ts'
import { findDevice } from './device-use.ts'

/**
 * Remembers on a device that its user has just shown a second factor there.
 *
 * @param seconds how long; by default, and at most, the setting `secondFactorLifetime`
 * @returns until when; null when the device was revoked meanwhile
 * @throws ConfigurationError for a time that is longer, or none
 */
export async function rememberSecondFactor(
  parts: RegistryParts,
  { uid, userId }: ActingDevice,
  seconds: number = parts.settings.secondFactorLifetime,
): Promise<Date | null> {
  const { secondFactorLifetime } = parts.settings
  if (!(typeof seconds === 'number' && seconds > 0 && seconds <= secondFactorLifetime)) {
    const problem = `must be a number of seconds above 0, at most the setting secondFactorLifetime (${secondFactorLifetime})`
    throw new ConfigurationError('for', problem, seconds)
  }
  const until = Math.floor(parts.clock() + seconds * 1000)
  const { executor, sql, tables } = parts.db
  const statement = sql`UPDATE ${tables.device} SET second_factor_until = ${until} WHERE uid = ${uid} AND user_id = ${userId}`
  const updated = await affectedBy(executor, statement)
  parts.cache.forget(uid)
  // On an application's MariaDB pool without FOUND_ROWS, 0 may mean that the row has this value already.
  const isThere = updated > 0 || (await findDevice(parts, uid))?.device.userId === userId
  return isThere ? new Date(until) : null
}

/**
 * Whether the second factor of a user is remembered for the browser that brings this device credential. Only the newest
 * credential counts, not even the one before it, whose successor may be with its owner: a copy of it gets nowhere, and
 * who lost an answer is asked for the second factor once more.
 *
 * @param credential genuine and of this user, or null
 */
export async function isSecondFactorRemembered(
  parts: RegistryParts,
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
  parts: RegistryParts,
  userId: string,
  uid: string | null,
): Promise<Outcome<number>> {
  return changeDevices(parts, userId, (change) => clearSecondFactor(parts, change, userId, uid))
}

/**
 * A device forgets the second factor on a device of its user. On itself it always may.
 *
 * @throws QuillgateError 401 when the acting device is gone, 404 `device_not_found`, and those of `requireMayEdit`
 */
export function forgetSecondFactorAs(
  parts: RegistryParts,
  acting: ActingDevice,
  uid: string,
): Promise<Outcome<number>> {
  return changeDevices(parts, acting.userId, async (change) => {
    const actor = await requireActing(parts, change.tx, acting)
    const target = await requireOwn(parts, change.tx, acting.userId, uid)
    if (target.device.uid !== actor.device.uid)
      requireMayEdit(actor, target, {}, parts.settings, change.now)
    return clearSecondFactor(parts, change, acting.userId, uid)
  })
}

/** Under the owner's lock. @param uid null: all devices of the user */
export async function clearSecondFactor(
  { db: { sql, tables } }: Pick<RegistryParts, 'db'>,
  { tx, changed }: Pick<Change, 'tx' | 'changed'>,
  userId: string,
  uid: string | null,
): Promise<number> {
  const rows = await rowsOf(
    tx,
    sql`SELECT uid FROM ${tables.device} WHERE user_id = ${userId} AND second_factor_until IS NOT NULL`,
  )
  const uids = rows.map((row) => String(row['uid'])).filter((each) => uid === null || each === uid)
  for (const each of uids) {
    await affectedBy(
      tx,
      sql`UPDATE ${tables.device} SET second_factor_until = NULL WHERE uid = ${each}`,
    )
    changed(each)
  }
  return uids.length
}
