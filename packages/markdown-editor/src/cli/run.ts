import { type CliEnvironment, loadConfiguration, runCommand } from '@quillgate/server/cli'
import { snakeCase } from '@quillgate/server/core'
import { COMMANDS, type Command, type CommandValues, EDITOR, OPTIONS } from './commands.ts'

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
  const program = { options: OPTIONS, commands: COMMANDS, help: HELP, run: perform }
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

const MISMATCH =
  'Nothing is deleted, because the storage does not contain the marker of this database. Check that the storage and the ' +
  'database belong together. If they do, restore quillgate-installation.txt in the storage.'
const NEVER_REFERENCED =
  'No record has ever referenced these files, so they are kept. The setting unsavedGrace deletes them. Before you use ' +
  'it, track every text with references.set or the hooks of an ORM. Then run "markdown-editor reindex", which reads the ' +
  'texts that were saved earlier.'

/** Formats a report for a terminal. */
function describeReport(report: object): string {
  const entries = Object.entries(toSnakeCase(report) as Record<string, unknown>)
  const lines = entries.flatMap(([name, value]) => {
    if (typeof value !== 'object' || value === null) return [`${name}: ${value}`]
    const { count, items = value } = value as { count?: number; items?: readonly object[] }
    const listed = (items as readonly object[]).map((item) => `  ${describeItem(item)}`)
    return [`${name}: ${count ?? listed.length}`, ...listed]
  })
  return `${[...lines, ...adviceOn(report)].join('\n')}\n`
}

function describeItem(item: object): string {
  const members = Object.entries(item).filter(([, value]) => value !== null && value !== '')
  return members.map(([name, value]) => `${name} ${value}`).join(', ')
}

function adviceOn(report: { readonly stopped?: unknown; readonly neverReferenced?: unknown }) {
  const { stopped, neverReferenced } = report
  const unreferenced = Number(Object(neverReferenced).count ?? neverReferenced ?? 0)
  return [
    ...(unreferenced > 0 ? [NEVER_REFERENCED] : []),
    ...(stopped === 'installation_mismatch' ? [MISMATCH] : []),
  ]
}

/** Converts the names in a report to snake case, for its JSON form. */
function toSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toSnakeCase)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, member]) => {
    return [snakeCase(name), toSnakeCase(member)]
  })
  return Object.fromEntries(entries)
}
