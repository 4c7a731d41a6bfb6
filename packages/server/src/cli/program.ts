import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { isQuillgateError } from '../core/errors.ts'
import { nearNames } from '../core/near-names.ts'

/** Thrown for a mistake in the configuration. The exit code is 1. */
export class CliError extends Error {
  override name = 'CliError'
}

/** Thrown for a wrong command line. The exit code is 2. */
export class UsageError extends Error {
  override name = 'UsageError'
}

/** The working folder and the output streams of a command. */
export interface CliEnvironment {
  /** The folder that contains the configuration file. */
  readonly folder: string
  write(text: string): void
  writeError(text: string): void
}

/**
 * Runs the command line of this process, and exits with the code that `run` returns. Without an
 * exit, open connections could keep the process running.
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

type CommandLine<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ args: string[]; options: Options; allowPositionals: true }>
>

/** A program for the command line: its options, commands and help. */
export interface Program<
  Options extends ParseArgsOptionsConfig,
  Command extends { readonly options: readonly string[] },
> {
  /** The options in the format of `parseArgs` from node:util. */
  readonly options: Options
  /** The commands by name. Every command also accepts the options `config` and `json`. */
  readonly commands: Readonly<Record<string, Command>>
  readonly help: string
  /** Returns the exit code. */
  run(
    command: Command,
    values: CommandLine<Options>['values'],
    environment: CliEnvironment,
  ): Promise<number>
}

/**
 * Runs the command that a command line names, or writes the help. Writes errors to the error
 * output. With `--json`, writes an error as `{ error: { code, message } }`.
 *
 * @returns the exit code of the command, 1 for an error, or 2 for a wrong command line
 */
export async function runCommand<
  const Options extends ParseArgsOptionsConfig,
  Command extends { readonly options: readonly string[] },
>(
  program: Program<Options, Command>,
  args: readonly string[],
  environment: CliEnvironment,
): Promise<number> {
  try {
    const { values, positionals } = parseCommandLine(args, program.options)
    if ('help' in values) {
      environment.write(program.help)
      return 0
    }
    const name = positionals.join(' ')
    const command = findCommand(program.commands, name, Object.keys(values))
    return await program.run(command, values, environment)
  } catch (error) {
    const [code, message] = describe(error)
    const isJson = args.includes('--json') // `values` is missing if parsing failed.
    environment.writeError(`${isJson ? JSON.stringify({ error: { code, message } }) : message}\n`)
    return code === 'usage' ? 2 : 1
  }
}

function parseCommandLine<Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
): CommandLine<Options> {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    const [, dashes, name] = /^Unknown option '(--?)([^']*)'/.exec((error as Error).message) ?? []
    if (name === undefined) throw error
    throw new UsageError(`There is no option ${dashes}${name}. ${hint(name, Object.keys(options))}`)
  }
}

function findCommand<Command extends { readonly options: readonly string[] }>(
  commands: Readonly<Record<string, Command>>,
  name: string,
  given: readonly string[],
): Command {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command)
    throw new UsageError(
      `Use one of these commands: ${Object.keys(commands).join(', ')}. See --help.`,
    )
  const wrong = given.find((option) => !['config', 'json', ...command.options].includes(option))
  if (wrong)
    throw new UsageError(
      `The command ${name} has no option --${wrong}. ${hint(wrong, command.options)}`,
    )
  return command
}

function hint(name: string, known: readonly string[]): string {
  const near = nearNames(name, known).map((each) => `--${each}`)
  return near.length > 0 ? `Perhaps ${near.join(' or ')} is meant.` : 'See --help.'
}

function describe(error: unknown): [code: string, message: string] {
  if (error instanceof UsageError || isParseError(error)) return ['usage', error.message]
  if (isQuillgateError(error)) return [error.code, error.message]
  if (error instanceof CliError) return ['failed', error.message]
  return ['unexpected', error instanceof Error ? (error.stack ?? error.message) : String(error)]
}

function isParseError(error: unknown): error is TypeError {
  return (
    error instanceof TypeError &&
    'code' in error &&
    String(error.code).startsWith('ERR_PARSE_ARGS_')
  )
}
