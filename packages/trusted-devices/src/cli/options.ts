import type { parseArgs } from 'node:util'
import type { TrustedDevices } from '../trusted-devices.ts'
import type { Report } from './report.ts'

/** The options of all commands, as `parseArgs` of node:util takes them. */
export const OPTIONS = {
  config: { type: 'string' },
  user: { type: 'string', multiple: true },
  device: { type: 'string' },
  country: { type: 'string' },
  everything: { type: 'boolean' },
  reason: { type: 'string' },
  'older-than': { type: 'string' },
  limit: { type: 'string' },
  cursor: { type: 'string' },
  'dry-run': { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const

/** The parsed options of a command line. */
export type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values']

/** The part of an instance that the commands use. */
export type CliDevices = Pick<TrustedDevices, 'gate' | 'registry' | 'settle'>

/** A command of `trusted-devices`. */
export interface Command {
  /** The names of its options, except `config`, `json` and `help`, which every command has. */
  readonly options: readonly (keyof typeof OPTIONS)[]
  /**
   * Runs the command.
   *
   * @throws UsageError for wrong options, before it changes anything
   */
  run(devices: CliDevices, values: Values): Promise<Report>
}

/** Reads the options that select a page. */
export function readPage({ limit, cursor }: Values): {
  readonly limit?: number
  readonly cursor?: string
} {
  return given({ limit: limit === undefined ? undefined : Number(limit), cursor })
}

/** The properties of an object that are not undefined. */
type Given<Members> = { readonly [Name in keyof Members]?: Exclude<Members[Name], undefined> }

/** Returns the properties that are not undefined. */
export function given<Members extends object>(members: Members): Given<Members> {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as Given<Members>
}
