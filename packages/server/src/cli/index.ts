export { type Configuration, type InstanceKind, loadConfiguration } from './configuration.ts'
export {
  type CliEnvironment,
  CliError,
  checkCommand,
  exitCodeOf,
  parseCommandLine,
  runProgram,
  UsageError,
} from './program.ts'
