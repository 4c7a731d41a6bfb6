// Runs checks that take too long for every change: `npm run verify:long -- [part] [options]`. Exits
// with 1 if a check fails.
//
// --count=N: the number of documents (rendering, incremental), steps (lifecycle, devices), servers
//   (kill, signals) or rounds of simultaneous logins (galera)
// --seed=S: the seed of an earlier run, to repeat the run
// --from=N: the number at which a stopped run continues (rendering, kill, signals)
// --workers=N: the number of workers, by default one per processor (rendering, kill, signals)
import { randomInt } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'

// The parts. Each part is a module with a function `run(options)` that returns true if no check
// failed.
const parts = {
  rendering: '../packages/markdown/test/attacks/verify-long.ts',
  incremental: '../packages/markdown/test/support/verify-incremental.ts',
  lifecycle: '../packages/markdown-editor/test/media/model/verify-long.ts',
  kill: '../packages/markdown-editor/test/media/kill/verify-long.ts',
  signals: '../packages/trusted-devices/test/kill/verify-long.ts',
  devices: '../packages/trusted-devices/test/model/verify-long.ts',
  galera: '../packages/trusted-devices/test/devices/verify-galera.ts',
}

/** The default of `--count` for each part. */
const counts = {
  rendering: 1_000_000,
  incremental: 50_000,
  lifecycle: 100_000,
  kill: 10_000,
  signals: 2_000,
  devices: 50_000,
  galera: 20,
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string' },
    seed: { type: 'string' },
    from: { type: 'string' },
    workers: { type: 'string' },
    help: { type: 'boolean' },
  },
})

if (values.help) {
  console.log(
    `npm run verify:long -- [${Object.keys(parts).join('|')}] [--count=N] [--seed=S] [--from=N] [--workers=N]\n` +
      `--count: ${Object.entries(counts)
        .map(([name, count]) => `${count} for ${name}`)
        .join(', ')}`,
  )
  process.exit()
}

function wholeNumber(name, fallback) {
  const value = Number(values[name] ?? fallback)
  if (!Number.isSafeInteger(value) || value < 0)
    throw new TypeError(`--${name} must be a whole number, not ${values[name]}.`)
  return value
}

const unknown = positionals.find((name) => !Object.hasOwn(parts, name))
if (unknown)
  throw new TypeError(`There is no part "${unknown}", only ${Object.keys(parts).join(', ')}.`)

const options = {
  seed: wholeNumber('seed', randomInt(2 ** 31)),
  from: wholeNumber('from', 0),
  workers: Math.max(1, wholeNumber('workers', availableParallelism())),
}

for (const name of positionals.length > 0 ? positionals : Object.keys(parts)) {
  const { run } = await import(parts[name])
  const count = wholeNumber('count', counts[name])
  if (!(await run({ ...options, count }))) process.exitCode = 1
}
