import { runProgram } from '@quillgate/http/cli'
import { runCli } from './run.ts'

// Only the program imports this module.
runProgram(runCli)
