import {
  type CliEnvironment,
  checkCommand,
  exitCodeOf,
  type InstanceKind,
  loadConfiguration,
  parseCommandLine,
  UsageError,
} from '@quillgate/server/cli'
import { isQuillgateError } from '@quillgate/server/core'
import { plainJson, plainLines } from '../network/control-characters.ts'
import type { CliDevices, Command, Report } from './command.ts'
import { COMMANDS } from './commands.ts'
import { describeOptions, OPTIONS, type OptionName, type Values } from './options.ts'
import { withReceivers } from './wait-for-receivers.ts'

/** How a command ended: 0 done, 1 failed, 2 wrong usage. */
export type ExitCode = 0 | 1 | 2

const DEVICES: InstanceKind<CliDevices> = {
  noun: 'instance of trusted devices',
  factory: 'createTrustedDevices',
  is(value): value is CliDevices {
    if (typeof value !== 'object' || value === null) return false
    const { registry, signals } = value as Record<string, unknown>
    return [registry, signals].every((group) => typeof group === 'object' && group !== null)
  },
}

const EXIT_CODES =
  'Exit codes: 0 done, 1 failed or failed in part, 2 wrong usage: nothing was done\n'

/** Runs one command of `trusted-devices`. @param args what follows the program's name */
export async function runCli(
  args: readonly string[],
  environment: CliEnvironment,
): Promise<ExitCode> {
  // Also of a command line that cannot be parsed.
  const isJson = args.includes('--json')
  try {
    const { values, positionals } = parseCommandLine(args, OPTIONS)
    const name = positionals.join(' ')
    if (values.help) {
      environment.write(Object.hasOwn(COMMANDS, name) ? helpOf(name) : help(name))
      return 0
    }
    const given = Object.keys(values)
    const command = checkCommand(COMMANDS, name === '' ? [] : [name], given)
    const work = command.prepare(values)
    return print(await perform(command, work, values, environment), isJson, environment)
  } catch (error) {
    return exitCodeOf(usageOf(error), environment, { json: isJson })
  }
}

async function perform(
  command: Command,
  work: ReturnType<Command['prepare']>,
  { config }: Values,
  { folder, writeError }: CliEnvironment,
): Promise<Report> {
  const devices = (await loadConfiguration(config ?? null, folder)).find(DEVICES)
  try {
    if (!command.isOffline) await devices.gate.ready()
    return await withReceivers(devices, () => work(devices), writeError)
  } finally {
    await devices.gate.close()
  }
}

function print(
  { json, text, failure }: Report,
  isJson: boolean,
  { write, writeError }: CliEnvironment,
): ExitCode {
  write(isJson ? `${plainJson(json)}\n` : plainLines(text)) // Names of devices are a stranger's.
  if (!failure) return 0
  if (!isJson) writeError(plainLines(failure)) // It is part of the JSON.
  return 1
}

/** Returns a usage error for a filter, limit or cursor that the instance refuses. */
function usageOf(error: unknown): unknown {
  if (!isQuillgateError(error) || error.code !== 'invalid_request') return error
  const fields = error.errors.map(({ field, message }) => `  ${optionOf(field)}: ${message}`)
  return new UsageError(
    fields.length > 0 ? ['Correct these options:', ...fields].join('\n') : error.detail,
  )
}

/** `seenBefore` was given as `--seen-before`. */
function optionOf(field: string): string {
  const short = { userId: 'user', uid: 'device', eventId: 'event' }[field]
  return `--${short ?? field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

/** @param group for example `outbox`, for its commands only */
function help(group: string): string {
  const inGroup = Object.keys(COMMANDS).filter((name) => name.startsWith(`${group} `))
  const names = inGroup.length > 0 ? inGroup : Object.keys(COMMANDS)
  const width = Math.max(...names.map((name) => name.length)) + 3
  const commands = names.map((name) => `  ${name.padEnd(width)}${COMMANDS[name]?.summary}\n`)
  return `trusted-devices ${inGroup.length > 0 ? `${group} ` : ''}<command> [options]

Commands
${commands.join('')}
Options of a command: trusted-devices <command> --help
${EXIT_CODES}`
}

function helpOf(name: string): string {
  const { summary, details = '', options } = COMMANDS[name] as Command
  const names: OptionName[] = [...options, 'config', 'json', 'help']
  return `trusted-devices ${name} [options]

${summary}.
${details}
Options
${describeOptions(names)}
${EXIT_CODES}`
}
