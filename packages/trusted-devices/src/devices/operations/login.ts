import type { Outcome } from '../facts.ts'
import type { RegistryParts } from '../registry-parts.ts'
import type { DeviceRecord } from '../tables/device-record.ts'
import type { DeviceCount } from '../tables/device-table.ts'
import { PAST_DEVICE_AGE, type PastDevice } from '../tables/past-devices.ts'
import type { TrustedDevice } from '../trusted-device.ts'
import {
  type Arrival,
  newRecord,
  type Recognition,
  recognise,
  returnedRecord,
  suspicionOf,
} from './arrival.ts'
import { type Change, changeDevices } from './change.ts'
import { clearSecondFactor } from './second-factor.ts'
import { isSuspectLogin, settingsFor } from './suspect.ts'

/** The device that signed in. */
export interface LoginResult {
  readonly record: DeviceRecord
  /** True when this browser is known: its device is still there, or ended without anybody's distrust. */
  readonly returning: boolean
}

/** A login that found no room. */
export interface LoginRefusal {
  readonly reason: 'device_limit_reached'
  /** The device as it would have been registered. */
  readonly device: TrustedDevice
}

/**
 * Registers a login: recognises the device or makes a new one, revokes stale devices, and keeps the limit. The order of
 * the facts is: revoked (stale), revoked (limit), created, suspicious, compromised. A refused login states revoked
 * (stale) and compromised; {@link stateRefusal} states the refusal.
 *
 * @param left the device whose session the browser had until now, perhaps another user's: that session ends, so that a
 * late answer cannot bring it back
 * @returns a refusal when there is no room and nobody may be evicted
 */
export function registerLogin(
  parts: RegistryParts,
  arrival: Arrival,
  left: DeviceRecord | null = null,
): Promise<Outcome<LoginResult | LoginRefusal>> {
  return changeDevices(
    parts,
    arrival.userId,
    async (change) => {
      await parts.addresses.reduceOf(change.tx, arrival.userId, change.now)
      const { recognition, past } = await recogniseArrival(parts, change, arrival)
      const known = recognition.kind === 'known' ? recognition.record : null
      const others = await parts.table.countByCountry(
        change.tx,
        arrival.userId,
        known?.device.uid ?? '',
      )
      const previousCountries = await countriesOf(parts, change, arrival.userId, others) // Before anything is removed.
      const suspicion = suspicionFor(parts, recognition, arrival.country, previousCountries)
      const isSuspect = isSuspectLogin(
        parts.settings,
        recognition,
        known ?? past,
        suspicion !== null,
      )
      const settings = settingsFor(parts.settings, isSuspect)
      const record = known
        ? returnedRecord(known, arrival, change.now, settings.refreshGrace * 1000)
        : newRecord(
            arrival,
            recognition,
            parts.createUuid(change.now),
            change.now,
            settings,
            isSuspect,
          )

      const doubtful = doubtfulDevice(recognition, arrival)
      // Who has its newest credential is not sure.
      if (doubtful !== null) await clearSecondFactor(parts, change, arrival.userId, doubtful)
      if (
        !(await makeRoom(
          { ...parts, settings },
          change,
          sumOf(others.values()),
          record,
          known !== null,
        ))
      ) {
        stateCopy(change, recognition, null)
        return { reason: 'device_limit_reached', device: record.device }
      }
      if (left && left.device.uid !== record.device.uid) {
        await parts.table.endFamily(change.tx, left.device.uid, left.token.family, change.now)
        change.changed(left.device.uid)
      }
      if (known) {
        await parts.table.updateLogin(change.tx, record)
        await noteMove(parts, change, known, record)
        change.changed(record.device.uid)
        return { record, returning: true }
      }
      await parts.table.insert(change.tx, record)
      if (past) await parts.past.replaced(change.tx, past.device.uid, change.now)
      stateNewDevice(change, record, recognition, previousCountries, suspicion)
      return { record, returning: recognition.kind === 'returning' }
    },
    { registers: true },
  )
}

/**
 * States that a login was refused, in a transaction of its own: whether there were too many refusals is not known within
 * that of the login, because the limiter may be slow, or in the same database.
 */
export function stateRefusal(
  parts: RegistryParts,
  { reason, device }: LoginRefusal,
): Promise<Outcome<void>> {
  return changeDevices(parts, device.userId, async (change) => {
    change.state({ kind: 'refused', device, reason, actor: null })
  })
}

/** Which device has come, and the past device that its credential names. */
export async function recogniseArrival(
  { table, past, settings }: RegistryParts,
  { tx, now }: Change,
  { userId, credential }: Arrival,
): Promise<{ recognition: Recognition; past: PastDevice | null }> {
  await past.forgetOf(tx, userId, now - PAST_DEVICE_AGE)
  if (!credential) return { recognition: { kind: 'new' }, past: null }
  const record = await table.find(tx, credential.uid)
  const before = record ? null : await past.find(tx, credential.uid)
  return {
    recognition: recognise(record, before, credential, now - settings.refreshGrace * 1000),
    past: before,
  }
}

/** The device whose newest credential may be with somebody else: this login brought an older one. */
export function doubtfulDevice(recognition: Recognition, { credential }: Arrival): string | null {
  if (recognition.kind === 'outdated') return recognition.before.uid
  if (recognition.kind !== 'known') return null
  const { device, credentialCounter } = recognition.record
  return credential?.counter === credentialCounter ? null : device.uid
}

/** Where the user's other devices are, but suspect ones, and, with `countryHistory`, where others were. */
async function countriesOf(
  { countries, settings: { countryHistory, suspiciousDevicePermissions } }: RegistryParts,
  { tx, now }: Change,
  userId: string,
  others: ReadonlyMap<string | null, DeviceCount>,
): Promise<string[]> {
  const since = countryHistory === null ? null : Math.floor(now - countryHistory * 1000)
  const before = since === null ? [] : await countries.known(tx, userId, since)
  // A stranger does not make its country a known one by signing in twice.
  const areSuspectsHeard = suspiciousDevicePermissions === 'default'
  const heard = [...others].filter(
    ([, { devices, suspects }]) => areSuspectsHeard || devices > suspects,
  )
  const all = [...heard.map(([country]) => country), ...before]
  return [...new Set(all)].filter((country) => country !== null).sort()
}

/** A device that signs in from another country leaves the one that it was in. */
export async function noteMove(
  { countries }: RegistryParts,
  { tx }: Change,
  { device: { userId, country, lastSeenAt }, isSuspect }: DeviceRecord,
  { device }: DeviceRecord,
): Promise<void> {
  if (isSuspect) return
  if (country !== null && country !== device.country)
    await countries.left(tx, userId, country, lastSeenAt.getTime())
}

/** @returns false when there is no room and nobody may be evicted */
async function makeRoom(
  { removal, table, settings }: RegistryParts,
  change: Change,
  others: number,
  { device }: DeviceRecord,
  isKnown: boolean,
): Promise<boolean> {
  const { maxDevices, limitPolicy, staleAfter } = settings
  const { tx, now } = change
  const stale =
    staleAfter === null
      ? []
      : await removal.stale(tx, device.userId, Math.floor(now - staleAfter * 1000), device.uid)
  await change.revoked(stale, 'stale', null)

  const surplus = maxDevices === null ? 0 : others - stale.length + 1 - maxDevices
  if (surplus <= 0) return true
  if (limitPolicy === 'refuse') return isKnown
  const idle = await table.findIdle(tx, device.userId, device.uid, surplus)
  await change.revoked(await removal.these(tx, device.userId, idle), 'limit', device.uid)
  return true
}

function sumOf(counts: Iterable<DeviceCount>): number {
  let sum = 0
  for (const { devices } of counts) sum += devices
  return sum
}

type Suspicion = ReturnType<typeof suspicionOf>

/** Why a login is suspicious, or null: a known device, or one that is back where it was, is not. */
function suspicionFor(
  { settings }: RegistryParts,
  recognition: Recognition,
  country: string | null,
  previousCountries: readonly string[],
): Suspicion {
  const isBackHome = recognition.kind === 'returning' && recognition.before.country === country
  if (recognition.kind === 'known' || isBackHome) return null
  return suspicionOf(country, previousCountries, settings.unknownCountry)
}

function stateNewDevice(
  change: Change,
  { device }: DeviceRecord,
  recognition: Recognition,
  previousCountries: readonly string[],
  suspicion: Suspicion,
): void {
  change.state({
    kind: 'created',
    device,
    returning: recognition.kind === 'returning',
    suspicious: suspicion !== null,
    reason: 'login',
    actor: device.uid,
  })
  if (suspicion)
    change.state({
      kind: 'suspicious',
      device,
      previousCountries,
      reason: suspicion,
      actor: device.uid,
    })
  stateCopy(change, recognition, device.uid)
}

/** States that a login brought a copy of an old device credential, if it did. */
export function stateCopy(change: Change, recognition: Recognition, actor: string | null): void {
  if (recognition.kind !== 'outdated') return
  change.state({
    kind: 'compromised',
    device: recognition.before,
    reason: 'device_credential_reused',
    actor,
  })
}
