// Runs a suite of the folder `suites`, or only some of its parts:
// `npm run bench -- <suite> [part …] [--quick] [--json]`.
import { readdirSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { type Parts, type Section, toGoals, toText } from './lib/report.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
})
const [suite, ...wanted] = positionals
const suites = readdirSync(new URL('./suites/', import.meta.url)).sort()
if (suite === undefined || !suites.includes(suite)) fail(`Name a suite: ${suites.join(', ')}.`)

const { parts } = (await import(`./suites/${suite}/index.ts`)) as { parts: Parts }
const unknown = wanted.filter((name) => !Object.hasOwn(parts, name))
if (unknown.length > 0)
  fail(`"${suite}" has no part ${unknown.join(', ')}, but: ${Object.keys(parts).join(', ')}.`)

const machine = `${cpus()[0]?.model.trim() ?? 'unknown processor'} × ${availableParallelism()}, Node ${process.versions.node}`
const sections: Record<string, Section> = {}
if (!values.json)
  console.log(`${suite}${values.quick ? ' (quick: rough figures)' : ''} — ${machine}\n`)
for (const [name, part] of Object.entries(parts)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  const section = await part({ quick: values.quick })
  sections[name] = section
  if (!values.json) console.log(toText(section))
}

const goals = Object.values(sections).flatMap((section) => section.goals)
if (values.json)
  console.log(JSON.stringify({ suite, quick: values.quick, machine, sections }, null, 2))
else console.log(['Goals', '', ...toGoals(goals)].join('\n'))
process.exitCode = goals.every(({ passed }) => passed) ? 0 : 1

function fail(message: string): never {
  console.error(message)
  process.exit(2)
}
