import type { Configuration, InstanceKind } from '@quillgate/server/cli'
import { ConfigurationError } from '@quillgate/server/core'
import type { MarkdownEditor } from '../markdown-editor.ts'
import type { RecordEntries } from '../media/references.ts'

/** 0 done, 1 failed or differences found, 2 wrong usage, 3 stopped by the deletion guard. */
export type ExitCode = 0 | 1 | 2 | 3

/** The options of all commands, in the form that `parseArgs` of `node:util` takes. */
export const OPTIONS = {
  config: { type: 'string' },
  'dry-run': { type: 'boolean' },
  verify: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const

type ValueOf<Option> = Option extends { type: 'string' } ? string : boolean

/** The part of an editor that the commands use. */
export type CliEditor = Pick<MarkdownEditor, 'sweep' | 'check' | 'references' | 'media' | 'gate'>

/** The values of the options of a command line. */
export type CommandValues = {
  readonly [Name in keyof typeof OPTIONS]?: ValueOf<(typeof OPTIONS)[Name]> | undefined
}

interface CommandInput {
  readonly editor: CliEditor
  readonly configuration: Configuration
  readonly values: CommandValues
}

/** One command of `markdown-editor`. */
export interface Command {
  /** Without `config` and `json`, which all commands have. */
  readonly options: readonly (keyof typeof OPTIONS)[]
  run(input: CommandInput): Promise<{ report: object; code: ExitCode }>
}

/** Recognizes an editor among the exports of a configuration. */
export const EDITOR: InstanceKind<CliEditor> = {
  noun: 'markdown editor',
  factory: 'createMarkdownEditor',
  is(value): value is CliEditor {
    return hasMethods(value, ['sweep', 'check', 'widget']) && 'references' in value
  },
}

const RECORDS: InstanceKind<() => RecordEntries> = {
  noun: 'function that reads your records',
  factory: '"async function* records() { … }"',
  is(value): value is () => RecordEntries {
    return typeof value === 'function'
  },
}

function hasMethods(value: unknown, names: readonly string[]): value is object {
  if (typeof value !== 'object' || value === null) return false
  return names.every((name) => typeof (value as Record<string, unknown>)[name] === 'function')
}

const sweep: Command = {
  options: ['dry-run'],
  async run({ editor, values: { 'dry-run': dryRun } }) {
    const report = await editor.sweep({ dryRun })
    const isStopped = report.stopped !== null && !report.dryRun
    return { report, code: isStopped ? 3 : report.failed > 0 ? 1 : 0 }
  },
}

const check: Command = {
  options: ['verify'],
  async run({ editor, values: { verify } }) {
    const report = await editor.check({ verify })
    const { stopped, damaged, strays, dangling } = report
    const isClean = damaged.count + strays.count + dangling.count === 0
    return { report, code: stopped !== null ? 3 : isClean ? 0 : 1 }
  },
}

const reindex: Command = {
  options: [],
  async run({ editor, configuration }) {
    const records = configuration.get('records', RECORDS)
    const report = await editor.references.rebuild(records())
    if (report.records === 0 && (await editor.media.list({ limit: 1 })).media.length > 0)
      throw new ConfigurationError(
        'records',
        'gave no record, although there are permanent files. Nothing was recorded: check the function',
      )
    return { report, code: 0 }
  },
}

/** The commands by name. */
export const COMMANDS: Readonly<Record<string, Command>> = { sweep, check, reindex }
