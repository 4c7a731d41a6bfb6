import type { ListedDevice } from '../list/list-view.ts'

/** Reads a device from the JSON of a response. Returns null if the value is not a device. */
export function parseDevice(value: unknown): { device: ListedDevice; isCurrent: boolean } | null {
  const json = (value ?? {}) as Readonly<Record<string, unknown>>
  const text = (key: string): string | null =>
    typeof json[key] === 'string' ? (json[key] as string) : null
  const time = (key: string): Date => new Date(text(key) ?? 0)
  const uid = text('uid')
  if (uid === null) return null
  const device: ListedDevice = {
    uid,
    name: text('name') ?? uid,
    browser: text('browser'),
    os: text('os'),
    deviceType: text('device_type'),
    city: text('city'),
    country: text('country'),
    address: text('address'),
    createdAt: time('created_at'),
    lastSeenAt: time('last_seen_at'),
  }
  return { device, isCurrent: json['is_current'] === true }
}
