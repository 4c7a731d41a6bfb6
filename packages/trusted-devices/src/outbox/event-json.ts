import type { DeviceEvent } from '../devices/device-event.ts'
import { type DeviceProperties, TrustedDevice } from '../devices/trusted-device.ts'
import { SIGNAL_OF } from '../signals/signal-names.ts'

const VERSION = 1

/** Writes an event as text. {@link readEvent} returns the same event, with its dates and sets. */
export function writeEvent(event: DeviceEvent): string {
  return JSON.stringify({ version: VERSION, event: toPlain(event) })
}

/**
 * Reads an event that {@link writeEvent} wrote.
 *
 * @throws Error if the text is not an event, or has an unknown version or kind
 */
export function readEvent(text: string): DeviceEvent {
  const { version, event } = (JSON.parse(text) ?? {}) as { version?: unknown; event?: unknown }
  if (version !== VERSION)
    throw new Error(`This event was stored in form ${String(version)}, which is not known here.`)
  const { device, ...members } = fromPlain(event) as DeviceEvent & { device: DeviceProperties }
  if (!Object.hasOwn(SIGNAL_OF, members.kind)) {
    throw new Error(
      `This event is of kind ${String(members.kind)}, which is not known here. Replay it after the update.`,
    )
  }
  // An event of this version has all properties.
  return { ...members, device: new TrustedDevice(device) } as DeviceEvent
}

function toPlain(value: unknown): unknown {
  if (value instanceof Date) return { $date: value.getTime() }
  if (value instanceof Set) return { $set: [...value].map(toPlain) }
  if (Array.isArray(value)) return value.map(toPlain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toPlain(member)]))
}

function fromPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromPlain)
  if (typeof value !== 'object' || value === null) return value
  if ('$date' in value) return new Date(Number(value.$date))
  if ('$set' in value) return new Set((value.$set as unknown[]).map(fromPlain))
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, fromPlain(member)]),
  )
}
