import { parseArgs } from 'node:util'
import { type CliEnvironment, checkCommand, exitCodeOf } from '@quillgate/http/cli'
import { COMMANDS } from './commands.ts'
import { loadDevices } from './load-devices.ts'

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
  const { write, folder } = environment
  try {
    const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
    if (values.help) {
      write(HELP)
      return 0
    }
    const command = checkCommand(COMMANDS, positionals, Object.keys(values))
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
    return exitCodeOf(error, environment)
  }
}
