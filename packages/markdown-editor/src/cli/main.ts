import { runProgram } from '@quillgate/server/cli'
import { runCli } from './run.ts'

// Importing this module runs the command, so only the program imports it.
runProgram(runCli)
