import { type CliEnvironment, loadConfiguration, runCommand } from '@quillgate/server/cli'
import { COMMANDS, type Command, type CommandValues, EDITOR, OPTIONS } from './commands.ts'
import { describeReport, toSnakeCase } from './reports.ts'

const HELP = `markdown-editor <command> [options]

Commands
  sweep      delete expired and orphaned media, complete interrupted steps
  check      compare the database with the storage
  reindex    read all records with the exported function "records", and add their references

Options
  --config <file>      file that exports the editor; default quillgate.config.ts, .js or .mjs
  --dry-run            for sweep: report the changes without making them
  --verify             for check: read every file and compare its checksum
  --json               write the report as JSON, and errors as { error: { code, message } }
  --help               show this help

Exit codes
  0  done
  1  failed, no usable configuration, or differences found
  2  wrong usage of the command line
  3  no file was deleted, because the storage belongs to another installation
`

/** Runs one command of `markdown-editor`. Returns the exit code. */
export function runCli(args: readonly string[], environment: CliEnvironment): Promise<number> {
  const program = { options: OPTIONS, commands: COMMANDS, help: () => HELP, run: perform }
  return runCommand(program, args, environment)
}

async function perform(
  { run }: Command,
  values: CommandValues,
  { folder, write }: CliEnvironment,
): Promise<number> {
  const configuration = await loadConfiguration(values.config ?? null, folder)
  const editor = configuration.find(EDITOR)
  try {
    const { report, code } = await run({ editor, configuration, values })
    const json = `${JSON.stringify(toSnakeCase(report), null, 2)}\n`
    write(values.json ? json : describeReport(report))
    return code
  } finally {
    await editor.gate.close()
  }
}
