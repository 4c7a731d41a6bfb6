export { CliError, UsageError } from './errors.ts'
export {
  type Configuration,
  findExport,
  findInstance,
  type InstanceKind,
  loadConfiguration,
  loadInstance,
} from './load-instance.ts'
export {
  type CliEnvironment,
  checkCommand,
  exitCodeOf,
  parseCommandLine,
  runProgram,
} from './program.ts'
