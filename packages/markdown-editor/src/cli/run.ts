import {
  type CliEnvironment,
  CliError,
  checkCommand,
  exitCodeOf,
  loadConfiguration,
  parseCommandLine,
  UsageError,
} from '@quillgate/server/cli'
import { type Command, type ExitCode, OPTIONS } from './command.ts'
import { copy } from './copy-command.ts'
import { EDITOR } from './load-editor.ts'
import { describeCheck, describeRebuild, describeSweep, toSnakeCase } from './reports.ts'

const HELP = `markdown-editor <command> [options]

Commands
  sweep      delete media that have outlived their time, complete what was broken off
  check      compare ledger and storage
  reindex    read all records and add their references (option "records" of the editor)
  copy       copy all media to another storage, as often as it takes; no URL changes

Options
  --config <file>      exports the editor; default quillgate.config.ts, .js or .mjs
  --to <name>          copy: the storage that the configuration exports under this name
  --dry-run            sweep, copy: only report
  --verify             check: read every byte, and compare it by checksum
  --delete-strays      check: delete objects that no file of the ledger needs, older than a day
  --force              sweep, check --delete-strays: delete even more than max(1000, 5 %) of all files
  --sizes-only         copy: what is there already is compared by size, not by checksum
  --accept-losses      copy: complete although the present storage has lost some files
  --concurrency <n>    copy: objects at once; default 8
  --json               write the report as JSON, and errors as { error: { code, message } }
  --help

Exit codes
  0  done
  1  failed, no usable configuration, or differences found
  2  wrong usage of the command line
  3  stopped by a brake: nothing was deleted or copied
`

/** Runs one command of `markdown-editor`. @param args what stands after the program's name */
export async function runCli(
  args: readonly string[],
  environment: CliEnvironment,
): Promise<ExitCode> {
  const { write, writeError, folder } = environment
  const json = args.includes('--json')
  try {
    const { values, positionals } = parseCommandLine(args, OPTIONS)
    if (values.help) {
      write(HELP)
      return 0
    }
    const { run } = checkCommand(COMMANDS, positionals, Object.keys(values))
    const configuration = await loadConfiguration(values.config ?? null, folder)
    const editor = configuration.find(EDITOR)
    try {
      const { report, text, code } = await run({ editor, configuration, values, writeError })
      write(values.json ? `${JSON.stringify(toSnakeCase(report), null, 2)}\n` : text)
      return code
    } finally {
      await editor.gate.close()
    }
  } catch (error) {
    return exitCodeOf(error, environment, { json })
  }
}

const sweep: Command = {
  options: ['dry-run', 'force'],
  async run({ editor, values }) {
    const report = await editor.sweep({
      dryRun: values['dry-run'] ?? false,
      force: values.force ?? false,
    })
    const isStopped = report.stopped !== null && !report.dryRun
    return { report, text: describeSweep(report), code: isStopped ? 3 : report.failed > 0 ? 1 : 0 }
  },
}

const check: Command = {
  options: ['delete-strays', 'force', 'verify'],
  async run({ editor, values }) {
    const { force = false, verify = false } = values
    if (force && !values['delete-strays'])
      throw new UsageError('check has --force only together with --delete-strays.')
    const report = await editor.check({
      deleteStrays: values['delete-strays'] ?? false,
      force,
      verify,
    })
    const { stopped, damaged, strays, dangling, deleted } = report
    const isClean = damaged.count + dangling.count === 0 && strays.count === deleted
    return { report, text: describeCheck(report), code: stopped !== null ? 3 : isClean ? 0 : 1 }
  },
}

const reindex: Command = {
  options: [],
  async run({ editor }) {
    if (!editor.records) {
      throw new CliError(
        'reindex reads your records: give createMarkdownEditor the option records: { all: () => … }.',
      )
    }
    const report = await editor.references.rebuild(editor.records.all())
    return { report, text: describeRebuild(report), code: 0 }
  },
}

const COMMANDS: Readonly<Record<string, Command>> = { sweep, check, reindex, copy }
