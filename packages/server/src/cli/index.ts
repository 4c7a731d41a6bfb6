export { type Configuration, type InstanceKind, loadConfiguration } from './configuration.ts'
export { type CliEnvironment, runCommand, runProgram, UsageError } from './program.ts'
