// Checks that take too long for every change: `npm run verify:long -- [part] [options]`. Ends with 1 when one fails.
//
//   --documents=N   how many, for parts that count in documents
//   --seed=S        the seed of an earlier run, which is then repeated
//   --from=N        the document to begin with: goes on with a run that was stopped
//   --workers=N     how many processors to use; all by default
import { randomInt } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'

// A part is a module with `run(options)`, which gives true when nothing is wrong.
const parts = {
  rendering: '../packages/markdown-editor/test/rendering/attacks/verify-long.ts',
  incremental: '../packages/markdown-editor/test/rendering/support/verify-incremental.ts',
  lifecycle: '../packages/markdown-editor/test/media/model/verify-long.ts',
  kill: '../packages/markdown-editor/test/media/kill/verify-long.ts',
}

/** How many documents, where the part does not count in millions. */
const documents = { kill: 10_000 }

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    documents: { type: 'string' },
    seed: { type: 'string' },
    from: { type: 'string' },
    workers: { type: 'string' },
    help: { type: 'boolean' },
  },
})

if (values.help) {
  console.log(
    `npm run verify:long -- [${Object.keys(parts).join('|')}] [--documents=N] [--seed=S] [--from=N] [--workers=N]`,
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
if (unknown) throw new TypeError(`There is no part "${unknown}", only ${Object.keys(parts).join(', ')}.`)

const options = {
  seed: wholeNumber('seed', randomInt(2 ** 31)),
  from: wholeNumber('from', 0),
  workers: Math.max(1, wholeNumber('workers', availableParallelism())),
}

for (const name of positionals.length > 0 ? positionals : Object.keys(parts)) {
  const { run } = await import(parts[name])
  const count = wholeNumber('documents', documents[name] ?? 1_000_000)
  if (!(await run({ ...options, documents: count }))) process.exitCode = 1
}
