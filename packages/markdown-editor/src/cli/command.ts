import type { CliEnvironment, Configuration } from '@quillgate/server/cli'
import type { CliEditor } from './load-editor.ts'

/**
 * How a command ended: 0 done, 1 failed or differences found, 2 wrong usage, 3 stopped by a brake.
 */
export type ExitCode = 0 | 1 | 2 | 3

/** The options of all commands, as `parseArgs` of node:util wants them. */
export const OPTIONS = {
  config: { type: 'string' },
  to: { type: 'string' },
  concurrency: { type: 'string' },
  'dry-run': { type: 'boolean' },
  'delete-strays': { type: 'boolean' },
  verify: { type: 'boolean' },
  'sizes-only': { type: 'boolean' },
  'accept-losses': { type: 'boolean' },
  force: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const

type ValueOf<Option> = Option extends { type: 'string' } ? string : boolean

/** The options given on the command line. */
export type Values = { readonly [Name in keyof typeof OPTIONS]?: ValueOf<(typeof OPTIONS)[Name]> }

/** The input of a command. */
export interface CommandInput {
  readonly editor: CliEditor
  readonly configuration: Configuration
  readonly values: Values
  readonly writeError: CliEnvironment['writeError']
}

/** The result of a command: as JSON, as text, and as an exit code. */
export interface Outcome {
  readonly report: unknown
  readonly text: string
  readonly code: ExitCode
}

/** One command of `markdown-editor`. */
export interface Command {
  /** Its options, without `config` and `json`. */
  readonly options: readonly (keyof typeof OPTIONS)[]
  run(input: CommandInput): Promise<Outcome>
}
