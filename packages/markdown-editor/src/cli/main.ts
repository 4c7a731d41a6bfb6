import { runProgram } from '@quillgate/server/cli'
import { runCli } from './run.ts'

// Importing this module runs the command line, so only the executable imports it.
runProgram(runCli)
