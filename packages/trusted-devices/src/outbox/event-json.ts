import type { DeviceEvent } from '../devices/device-event.ts'
import { type DeviceProperties, TrustedDevice } from '../devices/tables/trusted-device.ts'
import { SIGNAL_OF } from '../signals/signals.ts'

const VERSION = 1

/** Serializes an event to JSON that {@link readEvent} can read. */
export function writeEvent(event: DeviceEvent): string {
  return JSON.stringify({ version: VERSION, event })
}

/** Parses JSON of {@link writeEvent}. Throws an Error for the JSON of an incompatible version. */
export function readEvent(text: string): DeviceEvent {
  const { version, event } = (JSON.parse(text) ?? {}) as { version?: unknown; event?: unknown }
  if (version !== VERSION)
    throw new Error(
      `This version cannot read events in format ${String(version)}. Update the package, then replay the event.`,
    )
  const { at, device, ...properties } = event as DeviceEvent & { device: DeviceProperties }
  if (!Object.hasOwn(SIGNAL_OF, properties.kind)) {
    throw new Error(
      `This version cannot read events of kind ${String(properties.kind)}. Update the package, then replay the event.`,
    )
  }
  const until = device.secondFactorRememberedUntil
  return {
    ...properties,
    at: new Date(at),
    device: new TrustedDevice({
      ...device,
      createdAt: new Date(device.createdAt),
      lastSeenAt: new Date(device.lastSeenAt),
      secondFactorRememberedUntil: until && new Date(until),
    }),
  } as DeviceEvent // An event of this version has all properties.
}
