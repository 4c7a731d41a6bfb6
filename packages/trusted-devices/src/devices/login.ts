import {
  type Arrival,
  countriesOf,
  newRecord,
  type Recognition,
  recognise,
  returnedRecord,
  surplus,
  suspicionOf,
} from './arrival.ts'
import { type Change, changeDevices } from './change.ts'
import type { DeviceRecord } from './device-record.ts'
import type { Outcome } from './facts.ts'
import { PAST_DEVICE_AGE } from './past-devices.ts'
import type { RegistryParts } from './registry-parts.ts'

/** The device that signed in. */
export interface LoginResult {
  readonly record: DeviceRecord
  /** True when this browser is known: its device is still there, or ended without anybody's distrust. */
  readonly returning: boolean
}

/** A login that found no room. What it brought to light is told all the same. */
export type LoginRefusal = 'device_limit_reached'

/**
 * Registers a login: recognises the device or makes a new one, revokes stale devices, and keeps the limit. The order of
 * the facts is: revoked (stale), revoked (limit), created, suspicious, compromised.
 *
 * @param left the device whose session the browser had until now, perhaps another user's: that session ends, so that a
 * late answer cannot bring it back
 * @returns `device_limit_reached` when `limitPolicy` is `refuse` and there is no room
 */
export function registerLogin(
  parts: RegistryParts,
  arrival: Arrival,
  left: DeviceRecord | null = null,
): Promise<Outcome<LoginResult | LoginRefusal>> {
  return changeDevices(parts, arrival.userId, async (change) => {
    const { userId, credential } = arrival
    await parts.past.forget(change.tx, change.now - PAST_DEVICE_AGE, userId)
    const devices = await parts.table.findByUser(change.tx, userId)
    const past = credential && (await parts.past.find(change.tx, credential.uid))
    const recognition = recognise(devices, past, credential)
    const known = recognition.kind === 'known' ? recognition.record : null
    const others = devices.filter((record) => record !== known)
    const previousCountries = countriesOf(others) // Before anything is removed.
    const record = known
      ? returnedRecord(known, arrival, change.now, parts.settings.refreshGrace * 1000)
      : newRecord(arrival, recognition, parts.createUuid(change.now), change.now, parts.settings)

    if (!(await makeRoom(parts, change, others, record, known !== null))) {
      stateCopy(change, recognition, null)
      return 'device_limit_reached'
    }
    if (left && left.device.uid !== record.device.uid) {
      await parts.table.endFamily(change.tx, left.device.uid, left.token.family, change.now)
      change.changed(left.device.uid)
    }
    if (known) {
      await parts.table.updateLogin(change.tx, record)
      change.changed(record.device.uid)
      return { record, returning: true }
    }
    await parts.table.insert(change.tx, record)
    if (past) await parts.past.replaced(change.tx, past.device.uid, change.now)
    stateNewDevice(parts, change, record, recognition, previousCountries)
    return { record, returning: recognition.kind === 'returning' }
  })
}

/** @returns false when there is no room and nobody may be evicted */
async function makeRoom(
  { removal, settings }: RegistryParts,
  change: Change,
  others: readonly DeviceRecord[],
  { device }: DeviceRecord,
  isKnown: boolean,
): Promise<boolean> {
  const { maxDevices, limitPolicy, staleAfter } = settings
  const { tx, now } = change
  const stale =
    staleAfter === null ? [] : await removal.stale(tx, device.userId, Math.floor(now - staleAfter * 1000), device.uid)
  await change.revoked(stale, 'stale', null)

  const gone = new Set(stale.map((record) => record.device.uid))
  const evicted = surplus(
    others.filter((record) => !gone.has(record.device.uid)),
    maxDevices,
  )
  if (evicted.length === 0) return true
  if (limitPolicy === 'refuse') return isKnown
  const uids = evicted.map((record) => record.device.uid)
  await change.revoked(await removal.these(tx, device.userId, uids), 'limit', device.uid)
  return true
}

function stateNewDevice(
  { settings }: RegistryParts,
  change: Change,
  { device }: DeviceRecord,
  recognition: Recognition,
  previousCountries: readonly string[],
): void {
  change.state({
    kind: 'created',
    device,
    returning: recognition.kind === 'returning',
    reason: 'login',
    actor: device.uid,
  })
  const isBackHome = recognition.kind === 'returning' && recognition.before.country === device.country
  const reason = isBackHome ? null : suspicionOf(device.country, previousCountries, settings.unknownCountry)
  if (reason) change.state({ kind: 'suspicious', device, previousCountries, reason, actor: device.uid })
  stateCopy(change, recognition, device.uid)
}

/** States that a login brought a copy of an old device credential, if it did. */
function stateCopy(change: Change, recognition: Recognition, actor: string | null): void {
  if (recognition.kind !== 'outdated') return
  change.state({ kind: 'compromised', device: recognition.before, reason: 'device_credential_reused', actor })
}
