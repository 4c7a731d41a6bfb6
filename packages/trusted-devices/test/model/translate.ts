import { toNumber } from '@quillgate/server/database'
import type { RecordedSignal } from '@quillgate/trusted-devices/testing'
import { toBoolean } from '../../../server/src/database/values.ts'
import type { SpecDevice, SpecSignal } from './specification.ts'

// These functions convert responses, signals and rows to the types of the specification.

export function answerOf({ status }: Response, body: Readonly<Record<string, unknown>>): string {
  return status < 300 ? String(status) : `${status} ${String(body['code'])}`
}

export function toSpecSignal(event: RecordedSignal): SpecSignal {
  switch (event.signal) {
    case 'device_created':
      return [event.signal, event.device.uid, event.returning]
    case 'suspicious_login':
      return [event.signal, event.device.uid, [...event.previousCountries].sort(), event.reason]
    default:
      return [event.signal, event.deviceUid, event.reason, event.actor]
  }
}

export function toSpecDevice(row: Readonly<Record<string, unknown>>): SpecDevice {
  const nullable = (value: unknown): number | null => (value === null ? null : toNumber(value))
  return {
    uid: String(row['uid']),
    user: String(row['user_id']),
    name: String(row['name']),
    country: row['country'] === null ? null : String(row['country']),
    created: toNumber(row['created_at']),
    seen: toNumber(row['last_seen_at']),
    proved: toNumber(row['proved_at']),
    canDelete: toBoolean(row['can_delete_others']),
    canEdit: toBoolean(row['can_edit_others']),
    generation: toNumber(row['token_generation']),
    counter: toNumber(row['token_counter']),
    issued: toNumber(row['token_issued_at']),
    confirmed: nullable(row['token_confirmed_at']),
    credential: toNumber(row['credential_counter']),
    arrived: nullable(row['credential_confirmed_at']),
    late: toNumber(row['token_late']),
    countries: JSON.parse(String(row['countries'])) as string[],
  }
}

export function byUid(a: SpecDevice, b: SpecDevice): number {
  return a.uid < b.uid ? -1 : 1
}

/** Returns the expected properties of a device in the list of devices. */
export function wireOf({ uid, name, country, canDelete, canEdit, created, seen }: SpecDevice) {
  const times = {
    created_at: new Date(created).toISOString(),
    last_seen_at: new Date(seen).toISOString(),
  }
  return { uid, name, country, can_delete_others: canDelete, can_edit_others: canEdit, ...times }
}

/** Picks those properties of a listed device that the specification contains. */
export function picked(device: Readonly<Record<string, unknown>>) {
  const {
    uid,
    name,
    country,
    can_delete_others,
    can_edit_others,
    created_at,
    last_seen_at,
    is_current,
  } = device
  return {
    uid,
    name,
    country,
    can_delete_others,
    can_edit_others,
    created_at,
    last_seen_at,
    is_current,
  }
}
