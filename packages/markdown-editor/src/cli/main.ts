import { runProgram } from '@quillgate/server/cli'
import { runCli } from './run.ts'

// Only the program imports this module.
runProgram(runCli)
