import type { AllSettings } from '../../settings.ts'
import { createUuid } from '../../uuid.ts'
import type { Change, Changes } from '../changes.ts'
import type { Outcome } from '../device-event.ts'
import type { DeviceRecord } from '../tables/device-record.ts'
import { REVOKED_DEVICE_AGE } from '../tables/revoked-table.ts'
import { evictDevices } from './evict-devices.ts'
import { type LoginAttempt, type Recognition, recognise } from './recognise.ts'
import { newRecord, signedInAgain } from './records.ts'

/** The device that signed in. */
export interface LoginResult {
  readonly record: DeviceRecord
  /** True for a known or a returning browser. */
  readonly returning: boolean
}

/**
 * Registers a login in one transaction: recognises the browser, revokes stale devices, applies
 * `maxDevices` and saves the device. The events are, in this order: revoked (stale), revoked
 * (limit), created, suspicious, compromised.
 *
 * @param replaced the device of the browser's previous session, perhaps of another user. That
 * session ends, so that a late response cannot restore it.
 */
export function login(
  changes: Changes,
  settings: AllSettings,
  attempt: LoginAttempt,
  replaced: DeviceRecord | null = null,
): Promise<Outcome<LoginResult>> {
  return changes.run(attempt.userId, (change) => register(change, settings, attempt, replaced), {
    registers: true,
  })
}

async function register(
  change: Change,
  settings: AllSettings,
  attempt: LoginAttempt,
  replaced: DeviceRecord | null,
): Promise<LoginResult> {
  const { devices, now, isNewUser } = change
  const { userId } = attempt
  const recognition = await recogniseAttempt(change, settings, attempt)
  const known = recognition.kind === 'known' ? recognition.device : null
  // Read before stale devices are removed, because the countries of those are compared, too.
  const others = await devices.summarize(userId, known?.device.uid ?? '')
  const record =
    recognition.kind === 'known'
      ? signedInAgain(recognition, attempt, now, settings.refreshGrace * 1000)
      : newRecord(attempt, recognition, createUuid(now), now, settings)
  await evictDevices(change, settings, others.count, record)
  if (replaced && replaced.device.uid !== record.device.uid) {
    await devices.endGeneration(replaced.device.uid, replaced.token.generation, now)
  }
  await saveLogin(change, recognition, record)
  const suspicious = isSuspicious(recognition, attempt.country, others.countries)
  const { device } = record
  const actor = device.uid
  if (recognition.kind !== 'known') {
    const returning = recognition.kind === 'returning'
    const how = { returning, isFirst: isNewUser, suspicious } as const
    change.state({ kind: 'created', device, ...how, reason: 'login', actor })
  }
  if (suspicious) {
    const previousCountries = others.countries
    change.state({ kind: 'suspicious', device, previousCountries, reason: 'new_country', actor })
  }
  stateReuse(change, recognition, actor)
  return { record, returning: recognition.kind !== 'new' }
}

/**
 * Recognises the browser of a login. If it sent an outdated credential, another party may have the
 * current one. The second factor that is remembered on the device is then forgotten.
 */
export async function recogniseAttempt(
  change: Change,
  { refreshGrace }: AllSettings,
  { userId, credential }: LoginAttempt,
): Promise<Recognition> {
  const { devices, revoked, now } = change
  await revoked.forgetOf(userId, now - REVOKED_DEVICE_AGE)
  const live = credential && (await devices.find(credential.uid))
  const ended = credential && !live ? await revoked.find(credential.uid) : null
  const recognition = recognise(live, ended, credential, now - refreshGrace * 1000)
  const isOld = recognition.kind === 'known' ? !recognition.isCurrent : isReuse(recognition)
  if (live && isOld) await devices.clearSecondFactor(userId, live.device.uid)
  return recognition
}

/**
 * Saves a new or known device. If it replaces a revoked device, the browser of the latter can no
 * longer return as that device.
 */
export async function saveLogin(
  { devices, revoked, now }: Change,
  recognition: Recognition,
  record: DeviceRecord,
): Promise<void> {
  if (recognition.kind === 'known') {
    await devices.updateLogin(record)
    return
  }
  await devices.insert(record)
  if (recognition.before) await revoked.replaced(recognition.before.device.uid, now)
}

/**
 * Returns whether a new device signs in from a country that is new for the user. For a returning
 * browser, the countries of its previous device are not new.
 */
function isSuspicious(
  recognition: Recognition,
  country: string | null,
  previousCountries: readonly string[],
): boolean {
  if (recognition.kind === 'known' || previousCountries.length === 0 || country === null)
    return false
  const former = recognition.kind === 'returning' ? recognition.before.countries : []
  return !previousCountries.includes(country) && !former.includes(country)
}

/** Adds a `compromised` event if a login sent an old copy of a device credential. */
export function stateReuse(change: Change, recognition: Recognition, actor: string): void {
  if (!isReuse(recognition)) return
  const { device } = recognition.before
  change.state({ kind: 'compromised', device, reason: 'device_credential_reused', actor })
}

type Reuse = Extract<Recognition, { reused: true }>

function isReuse(recognition: Recognition): recognition is Reuse {
  return recognition.kind === 'new' && recognition.reused
}
