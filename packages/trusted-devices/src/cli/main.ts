import { runProgram } from '@quillgate/server/cli'
import { runCli } from './run.ts'

// Imported only by the executable `bin/trusted-devices.js`.
runProgram(runCli)
