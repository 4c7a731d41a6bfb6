import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { isQuillgateError } from '../core/errors.ts'
import { nearNames } from '../core/near-names.ts'
import { CliError, UsageError } from './errors.ts'

/** Where a command runs. */
export interface CliEnvironment {
  /** Folder in which the configuration is looked for. */
  readonly folder: string
  write(text: string): void
  writeError(text: string): void
}

/**
 * Runs a command line as the program of this process, and ends the process: the configuration may
 * export other instances that would keep it alive.
 */
export function runProgram(
  run: (args: readonly string[], environment: CliEnvironment) => Promise<number>,
): void {
  void run(process.argv.slice(2), {
    folder: process.cwd(),
    write: (text) => void process.stdout.write(text),
    writeError: (text) => void process.stderr.write(text),
  }).then((code) => {
    process.exitCode = code
    process.stdout.write('', () => process.exit())
  })
}

/**
 * Finds the command that a command line names.
 *
 * @param given names of the options that were given; `config` and `json` fit every command
 * @throws UsageError for no or another command, further words, and options that the command does
 * not have
 */
export function checkCommand<Command extends { readonly options: readonly string[] }>(
  commands: Readonly<Record<string, Command>>,
  [name = '', ...rest]: readonly string[],
  given: readonly string[],
): Command {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command || rest.length > 0)
    throw new UsageError(`Say one of: ${Object.keys(commands).join(', ')}. See --help.`)
  const wrong = given.find((option) => !['config', 'json', ...command.options].includes(option))
  if (wrong)
    throw new UsageError(`${name} has no option --${wrong}. ${hint(wrong, command.options)}`)
  return command
}

/**
 * Parses a command line.
 *
 * @param options as `parseArgs` of node:util wants them
 * @throws UsageError for an option that does not exist, with what may be meant; TypeError for a
 * wrong value
 */
export function parseCommandLine<const Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
): ReturnType<typeof parseArgs<{ args: string[]; options: Options; allowPositionals: true }>> {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    const [, dashes, name] = /^Unknown option '(--?)([^']*)'/.exec((error as Error).message) ?? []
    if (name === undefined) throw error
    throw new UsageError(`There is no option ${dashes}${name}. ${hint(name, Object.keys(options))}`)
  }
}

function hint(name: string, known: readonly string[]): string {
  const near = nearNames(name, known).map((each) => `--${each}`)
  return near.length > 0 ? `Perhaps ${near.join(' or ')} is meant.` : 'See --help.'
}

/**
 * Tells of a failure: a sentence for what was foreseen, the stack for what was not; with `json` as
 * `{ error: { code, message } }`, where the code is `usage`, `failed`, `unexpected`, or that of a
 * `QuillgateError`.
 *
 * @returns the exit code
 */
export function exitCodeOf(
  error: unknown,
  { writeError }: CliEnvironment,
  { json = false }: { readonly json?: boolean } = {},
): 1 | 2 {
  const isUsage = error instanceof UsageError || isParseError(error)
  const isForeseen = isUsage || error instanceof CliError || isQuillgateError(error)
  const message = isForeseen ? error.message : stackOf(error)
  const foreseenCode = isQuillgateError(error) ? error.code : 'failed'
  const code = isUsage ? 'usage' : isForeseen ? foreseenCode : 'unexpected'
  writeError(`${json ? JSON.stringify({ error: { code, message } }) : message}\n`)
  return isUsage ? 2 : 1
}

/** Errors of `parseArgs` of node:util. */
function isParseError(error: unknown): error is TypeError {
  return (
    error instanceof TypeError &&
    'code' in error &&
    String(error.code).startsWith('ERR_PARSE_ARGS_')
  )
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
