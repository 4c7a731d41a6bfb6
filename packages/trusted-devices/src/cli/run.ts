import { parseArgs } from 'node:util'
import { isQuillgateError } from '@quillgate/http'
import { COMMANDS, type Command, UsageError, type Values } from './commands.ts'
import { CliError, loadDevices } from './load-devices.ts'

/** Where a command runs. */
export interface CliEnvironment {
  /** Folder in which the configuration is looked for. */
  readonly folder: string
  write(text: string): void
  writeError(text: string): void
}

/** How a command ended: 0 done, 1 failed, 2 wrong usage. */
export type ExitCode = 0 | 1 | 2

const HELP = `trusted-devices <command> [options]

Commands
  cleanup    revoke devices that were not used for staleAfter, or for --older-than
  list       list the devices of all users, or of --user, newest activity first
  revoke     revoke --device of --user, or --all of them

Options
  --config <file>        exports the instance; default quillgate.config.ts, .js or .mjs
  --user <id>            list, revoke: whose devices
  --device <uid>         revoke: this one
  --all                  revoke: all of the user
  --reason <text>        revoke: what receivers are told; default administrator
  --older-than <days>    cleanup: 1 or more
  --limit <n>            list: at most so many, 1 to 100; default 50
  --cursor <cursor>      list: where the page before ended
  --dry-run              cleanup, revoke: only count
  --json                 write the report as JSON
  --help

Exit codes: 0 done, 1 failed, 2 wrong usage
`

const OPTIONS = {
  config: { type: 'string' },
  user: { type: 'string' },
  device: { type: 'string' },
  all: { type: 'boolean' },
  reason: { type: 'string' },
  'older-than': { type: 'string' },
  limit: { type: 'string' },
  cursor: { type: 'string' },
  'dry-run': { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const

/** Runs one command of `trusted-devices`. @param args what stands after the program's name */
export async function runCli(args: readonly string[], environment: CliEnvironment): Promise<ExitCode> {
  const { write, writeError, folder } = environment
  try {
    const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
    if (values.help) {
      write(HELP)
      return 0
    }
    const command = commandOf(positionals, values)
    const devices = await loadDevices(values.config ?? null, folder)
    try {
      await devices.ready()
      const { json, text } = await command.run(devices, values)
      write(values.json ? `${JSON.stringify(json, null, 2)}\n` : text)
      return 0
    } finally {
      await devices.close() // Waits for the receivers.
    }
  } catch (error) {
    writeError(`${messageOf(error)}\n`)
    return error instanceof UsageError || isParseError(error) ? 2 : 1
  }
}

function commandOf(positionals: readonly string[], values: Values): Command {
  const [name = '', ...rest] = positionals
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!command || rest.length > 0) throw new UsageError(`Say one of: ${Object.keys(COMMANDS).join(', ')}. See --help.`)
  for (const option of Object.keys(values) as (keyof Values)[]) {
    if (option !== 'config' && option !== 'json' && !command.options.includes(option)) {
      throw new UsageError(`${name} has no option --${option}. See --help.`)
    }
  }
  return command
}

/** A sentence for what was foreseen; the stack for what was not. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const isForeseen =
    error instanceof UsageError || error instanceof CliError || isQuillgateError(error) || isParseError(error)
  return isForeseen ? error.message : (error.stack ?? error.message)
}

function isParseError(error: unknown): boolean {
  return error instanceof TypeError && String((error as { code?: unknown }).code).startsWith('ERR_PARSE_ARGS')
}
