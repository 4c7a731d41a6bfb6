export { CliError, UsageError } from './errors.ts'
export { type InstanceKind, loadInstance } from './load-instance.ts'
export { type CliEnvironment, checkCommand, exitCodeOf, runProgram } from './program.ts'
