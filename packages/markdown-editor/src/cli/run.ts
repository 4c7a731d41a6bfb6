import { parseArgs } from 'node:util'
import { type CliEnvironment, CliError, checkCommand, exitCodeOf } from '@quillgate/http/cli'
import { type CliEditor, loadEditor } from './load-editor.ts'
import { describeCheck, describeRebuild, describeSweep, toSnakeCase } from './reports.ts'

/** How a command ended: 0 done, 1 failed or differences found, 2 wrong usage, 3 stopped by a brake. */
export type ExitCode = 0 | 1 | 2 | 3

const HELP = `markdown-editor <command> [options]

Commands
  sweep      delete media that have outlived their time, complete what was broken off
  check      compare ledger and storage
  reindex    read all records and add their references (option "records" of the editor)

Options
  --config <file>    exports the editor; default quillgate.config.ts, .js or .mjs
  --dry-run          sweep: only report
  --delete-strays    check: delete objects that no file of the ledger needs, older than a day
  --force            delete even more than max(1000, 5 %) of all files
  --json             write the report as JSON
  --help

Exit codes: 0 done, 1 failed or differences found, 2 wrong usage, 3 stopped by a brake: nothing was deleted
`

const OPTIONS = {
  config: { type: 'string' },
  'dry-run': { type: 'boolean' },
  'delete-strays': { type: 'boolean' },
  force: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const

/** Runs one command of `markdown-editor`. @param args what stands after the program's name */
export async function runCli(args: readonly string[], environment: CliEnvironment): Promise<ExitCode> {
  const { write, folder } = environment
  try {
    const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
    if (values.help) {
      write(HELP)
      return 0
    }
    const { run } = checkCommand(COMMANDS, positionals, Object.keys(values))
    const editor = await loadEditor(values.config ?? null, folder)
    try {
      const { report, text, code } = await run(editor, values)
      write(values.json ? `${JSON.stringify(toSnakeCase(report), null, 2)}\n` : text)
      return code
    } finally {
      await editor.close()
    }
  } catch (error) {
    return exitCodeOf(error, environment)
  }
}

interface Values {
  readonly config?: string
  readonly 'dry-run'?: boolean
  readonly 'delete-strays'?: boolean
  readonly force?: boolean
  readonly json?: boolean
  readonly help?: boolean
}

interface Outcome {
  readonly report: unknown
  readonly text: string
  readonly code: ExitCode
}

type Command = (editor: CliEditor, values: Values) => Promise<Outcome>

const sweep: Command = async (editor, values) => {
  const report = await editor.sweep({ dryRun: values['dry-run'] ?? false, force: values.force ?? false })
  const isStopped = report.stopped !== null && !report.dryRun
  return { report, text: describeSweep(report), code: isStopped ? 3 : report.failed > 0 ? 1 : 0 }
}

const check: Command = async (editor, values) => {
  const report = await editor.check({ deleteStrays: values['delete-strays'] ?? false, force: values.force ?? false })
  const { stopped, damaged, strays, dangling, deleted } = report
  const isClean = damaged.count + dangling.count === 0 && strays.count === deleted
  return { report, text: describeCheck(report), code: stopped !== null ? 3 : isClean ? 0 : 1 }
}

const reindex: Command = async (editor) => {
  if (!editor.records) {
    throw new CliError('reindex reads your records: give createMarkdownEditor the option records: { all: () => … }.')
  }
  const report = await editor.references.rebuild(editor.records.all())
  return { report, text: describeRebuild(report), code: 0 }
}

const COMMANDS: Readonly<Record<string, { readonly run: Command; readonly options: readonly string[] }>> = {
  sweep: { run: sweep, options: ['dry-run', 'force'] },
  check: { run: check, options: ['delete-strays', 'force'] },
  reindex: { run: reindex, options: [] },
}
