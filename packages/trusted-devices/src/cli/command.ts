import { UsageError } from '@quillgate/server/cli'
import type { TrustedDevice } from '../devices/trusted-device.ts'
import { stripControlCharacters } from '../network/control-characters.ts'
import type { TrustedDevices } from '../trusted-devices.ts'
import type { OptionName, Values } from './options.ts'

/** The part of an instance that the commands use. */
export type CliDevices = Pick<TrustedDevices, 'gate' | 'outbox' | 'registry' | 'settle'>

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
  /** Checks the options, and returns the work. @throws UsageError */
  prepare(values: Values): (devices: CliDevices) => Promise<Report>
}

/** Returns a device in one line. */
export function toLine(device: TrustedDevice): string {
  const { uid, userId, city, country } = device
  const place = [city, country].filter((part) => part !== null).join(', ') || 'unknown place'
  const name = device.name.trim() || 'Unnamed device'
  const seen = device.lastSeenAt.toISOString()
  const line = `${uid}  user ${userId}  ${name}  ${place}  last seen ${seen}`
  return `${stripControlCharacters(line)}\n` // A name must not begin a line of its own.
}

/** Reports the users at whom a command failed. */
export function failuresOf(
  failures: readonly { readonly userId: string; readonly error: unknown }[],
): { readonly json: readonly object[]; readonly text: string | null } {
  const json = failures.map(({ userId, error }) => ({
    user_id: userId,
    message: error instanceof Error ? error.message : String(error),
  }))
  const shown = json.slice(0, 10).map(({ user_id, message }) => `\n  ${user_id}: ${message}`)
  const text = `Failed at ${json.length} users:${shown.join('')}\n`
  return { json, text: json.length === 0 ? null : text }
}

/** Reads the options that select a page. @throws UsageError */
export function readPage({ limit, cursor }: Values): {
  readonly limit?: number
  readonly cursor?: string
} {
  if (limit !== undefined && !/^(?:[1-9]\d?|100)$/.test(limit))
    throw new UsageError('--limit must be 1 to 100.')
  return given({ limit: limit === undefined ? undefined : Number(limit), cursor })
}

/** Returns the line that follows a page. */
export function moreOf(nextCursor: string | null): string {
  return nextCursor === null ? '' : `More with --cursor ${nextCursor}\n`
}

/** Some members without those that are undefined. */
type Given<Members> = { readonly [Name in keyof Members]?: Exclude<Members[Name], undefined> }

/** Returns the members that are not undefined. */
export function given<Members extends object>(members: Members): Given<Members> {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as Given<Members>
}
