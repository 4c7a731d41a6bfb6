import type { parseArgs } from 'node:util'
import type { TrustedDevices } from '../trusted-devices.ts'
import type { CommandOutput } from './output.ts'

/** The options of all commands, in the format of `parseArgs` of node:util. */
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
  /** The names of the command's own options. `config`, `json` and `help` are not included. */
  readonly options: readonly (keyof typeof OPTIONS)[]
  /** @throws UsageError for wrong options, before anything is changed */
  run(devices: CliDevices, values: Values): Promise<CommandOutput>
}
