import { runCli } from './run.ts'

// Only the program imports this module. It ends the process, for the configuration may export other instances that keep it alive.
void runCli(process.argv.slice(2), {
  folder: process.cwd(),
  write: (text) => void process.stdout.write(text),
  writeError: (text) => void process.stderr.write(text),
}).then((code) => {
  process.exitCode = code
  process.stdout.write('', () => process.exit())
})
