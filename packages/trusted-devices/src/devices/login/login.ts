import { batchesOf } from '@quillgate/server/database'
import type { Change, Changes, Outcome } from '../changes.ts'
import type { CreatedEvent } from '../device-event.ts'
import { type DeviceRecord, loginColumns } from '../tables/device-record.ts'
import { REVOKED_DEVICE_AGE } from '../tables/revoked-table.ts'
import { type LoginAttempt, type Recognition, recognize } from './recognize.ts'
import { newRecord, signedInAgain } from './records.ts'

interface LoginResult {
  readonly record: DeviceRecord
  /** True if the browser was recognized by its device credential. */
  readonly returning: boolean
}

/**
 * Registers a login in one transaction. Adds events in this order: revoked (stale), revoked
 * (limit), created, suspicious, compromised.
 *
 * @param replaced the device of the browser's previous session, perhaps of another user. The
 * previous session ends. A late response to one of its requests therefore cannot restore it.
 */
export function login(
  changes: Changes,
  attempt: LoginAttempt,
  replaced: DeviceRecord | null,
): Promise<Outcome<LoginResult>> {
  const { userId, country } = attempt
  const register = async (change: Change): Promise<LoginResult> => {
    const { devices, now } = change
    const recognition = await recognizeAttempt(change, attempt)
    const record = recordOf(change, recognition, attempt)
    const { uid } = record.device
    // Reads the countries before stale devices are removed, because countries of stale devices are
    // not new either.
    const others = await devices.summarize(userId, uid)
    await evictDevices(change, others.count, record)
    if (replaced && replaced.device.uid !== uid)
      await devices.endGeneration(replaced.device.uid, replaced.token.generation, now)
    await saveLogin(change, recognition, record)
    const previousCountries = others.countries
    const isSuspicious = isFromNewCountry(recognition, country, previousCountries)
    addCreated(change, recognition, record, { suspicious: isSuspicious, reason: 'login' })
    if (isSuspicious) {
      const what = { kind: 'suspicious', reason: 'new_country' } as const
      change.addEvent({ ...what, device: record.device, previousCountries, actor: uid })
    }
    addReuse(change, recognition, uid)
    return { record, returning: recognition.kind !== 'new' }
  }
  return changes.run(userId, register, true)
}

/**
 * Registers a device for an existing session of the application. The user's lock ensures that each
 * session gets only one device. Unlike a login, an adoption adds no `suspicious` event, revokes no
 * other device, and does not count as a password entry. If the device of the session was revoked,
 * the result is null.
 */
export function adoptSession(
  changes: Changes,
  session: LoginAttempt & { readonly sessionId: string },
): Promise<Outcome<DeviceRecord | null>> {
  const { userId, sessionId } = session
  const adopt = async (change: Change): Promise<DeviceRecord | null> => {
    const adopted = await change.devices.findBySession(userId, sessionId)
    if (adopted) return adopted
    if (await change.revoked.hadSession(userId, sessionId)) return null
    const recognition = await recognizeAttempt(change, session)
    const provedAt = recognition.kind === 'known' ? recognition.device.provedAt : null
    const record = { ...recordOf(change, recognition, session), provedAt }
    await saveLogin(change, recognition, record)
    addCreated(change, recognition, record, { suspicious: false, reason: 'adopted' })
    addReuse(change, recognition, record.device.uid)
    return record
  }
  return changes.run(userId, adopt, true)
}

/**
 * Recognizes the browser of a login. If the browser sent an outdated credential, another party may
 * have the current one. The second factor on the device is then forgotten.
 */
async function recognizeAttempt(
  { devices, revoked, now, settings }: Change,
  { userId, credential }: LoginAttempt,
): Promise<Recognition> {
  await revoked.forgetOf(userId, now - REVOKED_DEVICE_AGE)
  const live = credential && (await devices.find(credential.uid))
  const revokedDevice = credential && !live ? await revoked.find(credential.uid) : null
  const recognition = recognize(live, revokedDevice, credential, now - settings.refreshGrace * 1000)
  const isOld = recognition.kind === 'known' ? !recognition.isCurrent : isReuse(recognition)
  if (live && isOld) await devices.clearSecondFactor(userId, live.device.uid)
  return recognition
}

function recordOf(change: Change, recognition: Recognition, attempt: LoginAttempt): DeviceRecord {
  return recognition.kind === 'known'
    ? signedInAgain(change, recognition, attempt)
    : newRecord(change, recognition, attempt)
}

/**
 * Revokes the devices that are stale or exceed `maxDevices`. `others` also counts stale devices.
 */
async function evictDevices(
  { devices, now, recordRevoked, settings: { maxDevices, staleAfter } }: Change,
  others: number,
  { device: { uid, userId } }: DeviceRecord,
): Promise<void> {
  let stale: DeviceRecord[] = []
  if (staleAfter !== null) {
    const seenBefore = Math.floor(now - staleAfter * 1000)
    stale = await devices.remove(userId, (eb) =>
      eb.and([eb('uid', '<>', uid), eb('lastSeenAt', '<', seenBefore)]),
    )
    await recordRevoked(stale, 'stale', null)
  }
  const surplus = maxDevices === null ? 0 : others - stale.length + 1 - maxDevices
  if (surplus <= 0) return
  const idle = await devices.findIdle(userId, uid, surplus)
  for (const batch of batchesOf(idle))
    await recordRevoked(await devices.remove(userId, (eb) => eb('uid', 'in', batch)), 'limit', uid)
}

async function saveLogin(
  { devices, revoked, now }: Change,
  recognition: Recognition,
  record: DeviceRecord,
): Promise<void> {
  if (recognition.kind === 'known') {
    await devices.update(record.device, loginColumns(record))
    return
  }
  await devices.insert(record)
  if (recognition.before) await revoked.replaced(recognition.before.device.uid, now)
}

/**
 * Returns whether a new device signs in from a country that is new for the user and the browser.
 * Returns false if this country, or every country of the other devices, is unknown.
 */
function isFromNewCountry(
  recognition: Recognition,
  country: string | null,
  previousCountries: readonly string[],
): boolean {
  if (recognition.kind === 'known' || previousCountries.length === 0 || country === null)
    return false
  const former = recognition.kind === 'returning' ? recognition.before.countries : []
  return !previousCountries.includes(country) && !former.includes(country)
}

function addCreated(
  { addEvent, isNewUser }: Change,
  { kind }: Recognition,
  { device }: DeviceRecord,
  how: Pick<CreatedEvent, 'suspicious' | 'reason'>,
): void {
  if (kind === 'known') return
  const returning = kind === 'returning'
  addEvent({ kind: 'created', device, returning, isFirst: isNewUser, ...how, actor: device.uid })
}

function addReuse({ addEvent }: Change, recognition: Recognition, actor: string): void {
  if (!isReuse(recognition)) return
  const { device } = recognition.before
  addEvent({ kind: 'compromised', device, reason: 'device_credential_reused', actor })
}

function isReuse(recognition: Recognition): recognition is Extract<Recognition, { reused: true }> {
  return recognition.kind === 'new' && recognition.reused
}
