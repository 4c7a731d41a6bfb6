import type { parseArgs } from 'node:util'
import type { Configuration, InstanceKind } from '@quillgate/server/cli'
import { ConfigurationError } from '@quillgate/server/core'
import type { MarkdownEditor } from '../markdown-editor.ts'
import type { RecordEntries } from '../media/references.ts'

/** The options of all commands, in the format of `parseArgs` from `node:util`. */
export const OPTIONS = {
  config: { type: 'string' },
  'dry-run': { type: 'boolean' },
  verify: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const

/** The members of an editor that the commands use. */
export type CliEditor = Pick<MarkdownEditor, 'sweep' | 'check' | 'references' | 'gate'>

/** The option values of a command line. */
export type CommandValues = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values']

/** One command of `markdown-editor`. */
export interface Command {
  /** The options of this command. All commands also have `config` and `json`. */
  readonly options: readonly (keyof typeof OPTIONS)[]
  /** Runs the command. Returns a report and the exit code, which `--help` explains. */
  run(input: {
    editor: CliEditor
    configuration: Configuration
    values: CommandValues
  }): Promise<{ report: object; code: number }>
}

/** Identifies the editor among the exports of a configuration file. */
export const EDITOR: InstanceKind<CliEditor> = {
  noun: 'markdown editor',
  factory: 'createMarkdownEditor',
  is(value): value is CliEditor {
    const { sweep, check, widget, references } = Object(value) as Partial<MarkdownEditor>
    const isCallable = [sweep, check, widget].every((method) => typeof method === 'function')
    return isCallable && references !== undefined
  },
}

const RECORDS: InstanceKind<() => RecordEntries> = {
  noun: 'function that reads your records',
  factory: '"async function* records() { … }"',
  is(value): value is () => RecordEntries {
    return typeof value === 'function'
  },
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
    const { recorded, ...report } = await editor.references.rebuild(records())
    if (!recorded)
      throw new ConfigurationError(
        'records',
        'returned no records, although there are permanent files. Nothing was changed. Correct the function',
      )
    return { report, code: 0 }
  },
}

/** The commands by name. */
export const COMMANDS: Readonly<Record<string, Command>> = { sweep, check, reindex }
