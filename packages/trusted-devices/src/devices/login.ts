import { QuillgateError } from '@quillgate/http'
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
import { type Change, changeDevices, type RegistryParts } from './change.ts'
import type { DeviceRecord } from './device-record.ts'
import type { Outcome } from './facts.ts'

/** The device that signed in. */
export interface LoginResult {
  readonly record: DeviceRecord
  /** True when this browser is known: its device is still there, or was revoked. */
  readonly returning: boolean
}

/**
 * Registers a login: recognises the device or makes a new one, revokes stale devices, and keeps the limit. The order of
 * the facts is: revoked (stale), revoked (limit), created, suspicious, compromised.
 *
 * @throws QuillgateError 409 `device_limit_reached` when `limitPolicy` is `refuse` and there is no room
 */
export function registerLogin(parts: RegistryParts, arrival: Arrival): Promise<Outcome<LoginResult>> {
  return changeDevices(parts, arrival.userId, async (change) => {
    const devices = await parts.table.findByUser(change.tx, arrival.userId)
    const recognition = recognise(devices, arrival.credential)
    const known = recognition.kind === 'known' ? recognition.record : null
    const others = devices.filter((record) => record !== known)
    const previousCountries = countriesOf(others) // Before anything is removed.
    const record = known
      ? returnedRecord(known, arrival, change.now)
      : newRecord(arrival, parts.createUuid(change.now), change.now, parts.settings)

    await makeRoom(parts, change, others, record, known !== null)
    if (known) {
      await parts.table.updateLogin(change.tx, record)
      change.changed(record.device.uid)
    } else {
      await parts.table.insert(change.tx, record)
      stateNewDevice(parts, change, record, recognition, previousCountries)
    }
    return { record, returning: recognition.kind === 'known' || recognition.kind === 'gone' }
  })
}

async function makeRoom(
  { removal, settings }: RegistryParts,
  change: Change,
  others: readonly DeviceRecord[],
  { device }: DeviceRecord,
  isKnown: boolean,
): Promise<void> {
  const { maxDevices, limitPolicy, staleAfter } = settings
  const { tx, now } = change
  const stale = staleAfter === null ? [] : await removal.stale(tx, device.userId, now - staleAfter * 1000, device.uid)
  change.revoked(stale, 'stale', null)

  const gone = new Set(stale.map((record) => record.device.uid))
  const evicted = surplus(
    others.filter((record) => !gone.has(record.device.uid)),
    maxDevices,
  )
  if (evicted.length === 0) return
  if (limitPolicy === 'evict') {
    const uids = evicted.map((record) => record.device.uid)
    change.revoked(await removal.these(tx, device.userId, uids), 'limit', device.uid)
  } else if (!isKnown) {
    throw new QuillgateError(
      'device_limit_reached',
      409,
      `You are signed in on ${maxDevices} devices, which is the most. Sign out on one of them first.`,
    )
  }
}

function stateNewDevice(
  { settings }: RegistryParts,
  change: Change,
  { device }: DeviceRecord,
  recognition: Recognition,
  previousCountries: readonly string[],
): void {
  const returning = recognition.kind === 'gone'
  change.state({ kind: 'created', device, returning, reason: 'login', actor: device.uid })
  const reason = suspicionOf(device.country, previousCountries, settings.unknownCountry)
  if (reason && !returning) change.state({ kind: 'suspicious', device, previousCountries, reason, actor: device.uid })
  if (recognition.kind === 'outdated') {
    const { record } = recognition
    change.state({
      kind: 'compromised',
      device: record.device,
      reason: 'device_credential_reused',
      actor: device.uid,
    })
  }
}
