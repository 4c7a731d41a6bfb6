import {
  type CliEnvironment,
  type InstanceKind,
  loadConfiguration,
  runCommand,
  UsageError,
} from '@quillgate/server/cli'
import { isQuillgateError } from '@quillgate/server/core'
import { plainJson, plainLines } from '../network/control-characters.ts'
import { RECEIVER_DEADLINE } from '../settings.ts'
import type { Settled } from '../signals/deliveries.ts'
import { type CliDevices, COMMANDS, type Command, OPTIONS, type Values } from './commands.ts'
import { type CommandOutput, withReceivers } from './output.ts'

const HELP = `trusted-devices <command> [options]

Commands
  cleanup            revoke devices that were not used for staleAfter; shorten or remove old addresses
  list               list devices, newest activity first
  revoke             revoke the devices that meet all conditions

Options
  --config <file>       file that exports the instance; default quillgate.config.ts, .js or .mjs
  --user <id>           devices of this user; can be repeated
  --device <uid>        the device with this UUID
  --country <name>      devices in this country, as locate returns it; "unknown": no known country
  --everything          revoke: every device of every user
  --reason <text>       revoke: the reason in the signals; default administrator
  --older-than <days>   cleanup: 1 or more; default the setting staleAfter
  --limit <n>           list: maximum number of devices, 1 to 100; default 50
  --cursor <cursor>     list: continue after the page that printed this cursor
  --dry-run             change nothing, only count
  --json                write the report as JSON, and errors as { error: { code, message } }
  --help

Exit codes
  0  done
  1  failed, or failed in part
  2  wrong usage: nothing was done
`

const DEVICES: InstanceKind<CliDevices> = {
  noun: 'instance of trusted devices',
  factory: 'createTrustedDevices',
  is(value): value is CliDevices {
    if (typeof value !== 'object' || value === null) return false
    const { registry, signals } = value as Record<string, unknown>
    return [registry, signals].every((group) => typeof group === 'object' && group !== null)
  },
}

/** Runs one command of `trusted-devices`. Returns the exit code. */
export function runCli(args: readonly string[], environment: CliEnvironment): Promise<number> {
  const program = { options: OPTIONS, commands: COMMANDS, help: HELP, run: runOne }
  return runCommand(program, args, environment)
}

async function runOne(
  command: Command,
  values: Values,
  { folder, write, writeError }: CliEnvironment,
): Promise<0 | 1> {
  try {
    const devices = (await loadConfiguration(values.config ?? null, folder)).find(DEVICES)
    const output = await perform(command, devices, values, writeError).finally(devices.gate.close)
    write(values.json ? `${plainJson(output.json)}\n` : plainLines(output.text))
    if (!output.failure) return 0
    // The JSON already contains the failure.
    if (!values.json) writeError(plainLines(output.failure))
    return 1
  } catch (error) {
    throw usageOf(error)
  }
}

const NOTICE_AFTER = 2000 // Milliseconds. Most commands finish earlier.

/** Runs a command, then waits for the receivers of its signals, even if the command fails. */
export async function perform(
  command: Command,
  devices: CliDevices,
  values: Values,
  writeError: (text: string) => void,
): Promise<CommandOutput> {
  const notice = `Still waiting for receivers. Each receiver has up to ${RECEIVER_DEADLINE} s.\n`
  const timer = setTimeout(() => writeError(notice), NOTICE_AFTER)
  let settled: Settled = { unfinished: [], lost: [] }
  try {
    const output = await command.run(devices, values).finally(async () => {
      settled = await devices.settle({ timeout: RECEIVER_DEADLINE })
    })
    return withReceivers(output, settled)
  } finally {
    clearTimeout(timer)
  }
}

function usageOf(error: unknown): unknown {
  if (!isQuillgateError(error) || error.code !== 'invalid_request') return error
  const fields = error.errors.map(({ field, message }) => `\n  ${field}: ${message}`)
  return new UsageError(error.detail + fields.join(''))
}
