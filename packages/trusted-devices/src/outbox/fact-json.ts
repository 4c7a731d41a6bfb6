import type { DeviceFact } from '../devices/facts.ts'
import { TrustedDevice, type TrustedDeviceMembers } from '../devices/trusted-device.ts'
import { SIGNAL_OF } from '../signals/signal-names.ts'

const VERSION = 1

/** Writes a fact as text. {@link readFact} returns the same fact, with its dates and sets. */
export function writeFact(fact: DeviceFact): string {
  return JSON.stringify({ version: VERSION, fact: toPlain(fact) })
}

/**
 * Reads a fact that {@link writeFact} wrote.
 *
 * @throws Error if the text is not a fact, or has an unknown version or kind
 */
export function readFact(text: string): DeviceFact {
  const { version, fact } = (JSON.parse(text) ?? {}) as { version?: unknown; fact?: unknown }
  if (version !== VERSION)
    throw new Error(`This event was stored in form ${String(version)}, which is not known here.`)
  const { device, ...members } = fromPlain(fact) as DeviceFact & { device: TrustedDeviceMembers }
  if (!Object.hasOwn(SIGNAL_OF, members.kind)) {
    throw new Error(
      `This event is of kind ${String(members.kind)}, which is not known here. Replay it after the update.`,
    )
  }
  // A fact of this version has all properties.
  return { ...members, device: new TrustedDevice(device) } as DeviceFact
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
