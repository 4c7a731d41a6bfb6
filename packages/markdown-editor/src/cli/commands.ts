import {
  type CliEnvironment,
  type Configuration,
  type InstanceKind,
  UsageError,
} from '@quillgate/server/cli'
import type { Storage } from '@quillgate/storage'
import type { MarkdownEditor } from '../markdown-editor.ts'
import type { CopyProgress, CopyReport } from '../media/copy.ts'
import type { RecordEntries } from '../media/references.ts'
import { describeCheck, describeCopy, describeRebuild, describeSweep } from './reports.ts'

/**
 * The end of a command: 0 done, 1 failed or differences found, 2 wrong usage, 3 stopped by a guard.
 */
export type ExitCode = 0 | 1 | 2 | 3

/** The options of all commands, as `parseArgs` of node:util takes them. */
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

/** The part of an editor that the commands use. */
export type CliEditor = Pick<MarkdownEditor, 'sweep' | 'check' | 'copyTo' | 'references' | 'gate'>

interface CommandInput {
  readonly editor: CliEditor
  readonly configuration: Configuration
  readonly values: { readonly [Name in keyof typeof OPTIONS]?: ValueOf<(typeof OPTIONS)[Name]> }
  readonly writeError: CliEnvironment['writeError']
}

/** One command of `markdown-editor`. */
export interface Command {
  /** Its options, without `config` and `json`. */
  readonly options: readonly (keyof typeof OPTIONS)[]
  run(input: CommandInput): Promise<{ report: unknown; text: string; code: ExitCode }>
}

/** Recognizes an editor among the exports of a configuration. */
export const EDITOR: InstanceKind<CliEditor> = {
  noun: 'markdown editor',
  factory: 'createMarkdownEditor',
  is(value): value is CliEditor {
    return hasMethods(value, ['sweep', 'check', 'copyTo', 'widget']) && 'references' in value
  },
}

const STORAGE: InstanceKind<Storage> = {
  noun: 'storage',
  factory: 'localFiles or s3',
  is(value): value is Storage {
    return hasMethods(value, ['write', 'read', 'stat', 'copy', 'remove', 'list'])
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
  options: ['dry-run', 'force'],
  async run({ editor, values: { 'dry-run': dryRun, force } }) {
    const report = await editor.sweep({ dryRun, force })
    const isStopped = report.stopped !== null && !report.dryRun
    return { report, text: describeSweep(report), code: isStopped ? 3 : report.failed > 0 ? 1 : 0 }
  },
}

const check: Command = {
  options: ['delete-strays', 'force', 'verify'],
  async run({ editor, values: { 'delete-strays': deleteStrays, force, verify } }) {
    if (force && !deleteStrays)
      throw new UsageError('check has --force only together with --delete-strays.')
    const report = await editor.check({ deleteStrays, force, verify })
    const { stopped, damaged, strays, dangling, deleted } = report
    const isClean = damaged.count + dangling.count === 0 && strays.count === deleted
    return { report, text: describeCheck(report), code: stopped !== null ? 3 : isClean ? 0 : 1 }
  },
}

const reindex: Command = {
  options: [],
  async run({ editor, configuration }) {
    const records = configuration.get('records', RECORDS)
    const report = await editor.references.rebuild(records())
    return { report, text: describeRebuild(report), code: 0 }
  },
}

const copy: Command = {
  options: ['to', 'dry-run', 'sizes-only', 'accept-losses', 'concurrency'],
  async run({ editor, configuration, values, writeError }) {
    const { to, concurrency, 'dry-run': dryRun, 'accept-losses': acceptLosses } = values
    if (to === undefined)
      throw new UsageError('copy needs --to, the name of a storage that the configuration exports.')
    if (concurrency !== undefined && !/^[1-9]\d{0,3}$/.test(concurrency))
      throw new UsageError('--concurrency must be a whole number, 1 to 9999.')
    const target = configuration.get(to, STORAGE)
    try {
      const report = await editor.copyTo(target, {
        dryRun,
        acceptLosses,
        compare: values['sizes-only'] ? 'size' : 'checksum',
        onProgress: progressTo(writeError),
        concurrency: concurrency === undefined ? undefined : Number(concurrency),
      })
      return { report, text: describeCopy(report), code: copyCode(report) }
    } finally {
      await target.close?.()
    }
  },
}

function copyCode({ stopped, complete, dryRun, lost, failed }: CopyReport): ExitCode {
  if (stopped !== null) return 3
  return complete || (dryRun && lost.count + failed.count === 0) ? 0 : 1
}

/** Milliseconds between two lines of progress. */
const PROGRESS_INTERVAL = 2000

function progressTo(writeError: (text: string) => void): (progress: CopyProgress) => void {
  let written = 0
  return ({ done, files, copied, bytes }) => {
    const now = Date.now()
    if (now - written < PROGRESS_INTERVAL && done < files) return
    written = now
    writeError(`${done} of ${files} files; copied ${copied} (${(bytes / 1e6).toFixed(1)} MB)\n`)
  }
}

/** The commands by name. */
export const COMMANDS: Readonly<Record<string, Command>> = { sweep, check, reindex, copy }
