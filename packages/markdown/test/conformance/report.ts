// Prints the results of the renderer for the examples of the specifications.
//
//   node packages/markdown/test/conformance/report.ts [--json | --differences | --write]
//
// --json         prints the figures for the benchmarks
// --differences  prints each example that does not conform, explained or not
// --write        updates cases/explained.json and the README. New differences need an explanation.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pagePath, writePage } from './page.ts'
import { type Explanation, measureAll, problems, type Report, type Suite } from './suites.ts'

const report = measureAll()
const modes: Readonly<Record<string, (report: Report) => void>> = {
  '--json': printJson,
  '--differences': printDifferences,
  '--write': write,
}
const [mode] = process.argv.slice(2)
const run = mode === undefined ? printFigures : modes[mode]
if (run === undefined)
  throw new Error(`Unknown option ${mode}; known are ${Object.keys(modes).join(', ')}.`)
run(report)

function printFigures({ parser, suites }: Report): void {
  const rows = suites.map(({ title, figures }) => [
    title,
    { ...figures, differ: figures.total - figures.conforming },
  ])
  console.table(Object.fromEntries([['markdown-it alone', parser], ...rows]))
  for (const problem of suites.flatMap(problems)) console.log(problem)
}

function printJson({ parser, suites }: Report): void {
  const figures = suites.map((suite) => [
    suite.name,
    { ...suite.figures, unexplained: problems(suite).length },
  ])
  console.log(JSON.stringify({ parser, ...Object.fromEntries(figures) }, null, 2))
}

function printDifferences({ suites }: Report): void {
  for (const { name, differences } of suites) {
    for (const { example, output, expected, got } of differences) {
      console.log(`\n${name} ${example.number}, ${example.section}`)
      console.log({ markdown: example.markdown, html: example.html, output, expected, got })
    }
  }
}

function write({ parser, suites }: Report): void {
  const path = join(import.meta.dirname, 'cases', 'explained.json')
  const updated = suites.map((suite) => ({ ...suite, explanations: updateExplanations(suite) }))
  const bySuite = updated.map(({ name, explanations }) => [name, explanations])
  const data = { ...JSON.parse(readFileSync(path, 'utf8')), ...Object.fromEntries(bySuite) }
  writeFileSync(path, `${JSON.stringify(data, null, 2)}\n`)
  writeFileSync(pagePath, writePage({ parser, suites: updated }))
}

function updateExplanations({ differences, explanations }: Suite): Explanation[] {
  const outputs = new Map(differences.map(({ example, got }) => [String(example.number), got]))
  const kept = explanations.map(({ what, why, output }) => {
    const still = Object.keys(output).flatMap((number) => {
      const current = outputs.get(number)
      outputs.delete(number)
      return current === undefined ? [] : [[number, current] as const]
    })
    return { what, why, output: Object.fromEntries(still) }
  })
  const added = [...outputs].map(([number, output]) => ({
    what: '',
    why: '',
    output: { [number]: output },
  }))
  return [...kept.filter(({ output }) => Object.keys(output).length > 0), ...added]
}
