import type { TrustedDevice } from '../devices/trusted-device.ts'
import { toDeviceJson } from '../http/wire.ts'
import { stripControlCharacters } from '../network/control-characters.ts'
import type { CliDevices } from './load-devices.ts'
import type { OptionName, Values } from './options.ts'

/** The result of a command, for machines and for people. */
export interface Report {
  readonly json: unknown
  readonly text: string
  /** A problem with a part of the work. The exit code is then 1, and people read this on stderr. */
  readonly failure?: string | null
}

/** A command of `trusted-devices`. */
export interface Command {
  readonly summary: string
  /** More lines for `--help`. */
  readonly details?: string
  /** The options in addition to `--config`, `--json` and `--help`. */
  readonly options: readonly OptionName[]
  /** True: it needs no tables. */
  readonly isOffline?: boolean
  /**
   * Checks the options before anything else happens, and gives what is to be done. @throws
   * UsageError
   */
  prepare(values: Values): (devices: CliDevices) => Promise<Report>
}

/** A device as reports show it: as on the wire, without `is_current`. */
export function toJson(device: TrustedDevice): object {
  const { is_current: _, ...json } = toDeviceJson(device, '')
  return json
}

/** A device in one line. */
export function toLine(device: TrustedDevice): string {
  const place =
    [device.city, device.country].filter((part) => part !== null).join(', ') || 'unknown place'
  const seen = device.lastSeenAt.toISOString()
  const line = `${device.uid}  user ${device.userId}  ${device.name.trim() || 'Unnamed device'}  ${place}  last seen ${seen}`
  return `${stripControlCharacters(line)}\n` // A name must not begin a line of its own.
}

/** Users at whom a command failed. */
export function failuresOf(
  failures: readonly { readonly userId: string; readonly error: unknown }[],
): {
  readonly json: readonly object[]
  readonly text: string | null
} {
  const messages = failures.map(({ userId, error }) => ({
    user_id: userId,
    message: error instanceof Error ? error.message : String(error),
  }))
  if (messages.length === 0) return { json: [], text: null }
  const shown = messages.slice(0, 10).map(({ user_id, message }) => `\n  ${user_id}: ${message}`)
  return { json: messages, text: `Failed at ${messages.length} users:${shown.join('')}\n` }
}
