import { join } from 'node:path'
import type { Figures } from './measure.ts'
import type { Explanation, Report, Suite } from './suites.ts'

export const pagePath: string = join(import.meta.dirname, 'README.md')

export function writePage({ parser, suites }: Report): string {
  return `# Conformance of the renderer

This page compares the HTML of \`DefaultRenderer\` with the examples of
[CommonMark 0.31.2](https://spec.commonmark.org/0.31.2/), with those of the extensions in
[GFM 0.29](https://github.github.com/gfm/), and with our own cases for the rest of GitHub's documentation.

\`\`\`sh
node packages/markdown/test/conformance/report.ts       # the figures; --json, --differences, --write (this page)
\`\`\`

${figuresTable(suites)}

The parser alone, markdown-it in its \`commonmark\` mode, gives the same HTML for ${parser.same} of the ${parser.total}
examples of CommonMark.

An example **conforms** if the renderer returns the specification's HTML after the policy was applied to it. The rows
under **conform** count the examples by what the policy changed.

## Differences
${suites.map(differencesOf).join('')}`
}

function figuresTable(suites: readonly Suite[]): string {
  const row = (label: string, count: (figures: Figures) => number, mark = ''): string =>
    `| ${[label, ...suites.map(({ figures }) => `${mark}${count(figures)}${mark}`)].join(' | ')} |`
  return [
    `| | ${suites.map(({ title }) => title).join(' | ')} |`,
    `|---|${'---|'.repeat(suites.length)}`,
    row('Examples', ({ total }) => total),
    row('**conform**', ({ conforming }) => conforming, '**'),
    row('- unchanged by the policy', ({ untouched }) => untouched),
    row('- with added `rel` and ids', ({ extended }) => extended),
    row(
      '- with removed elements or attributes',
      ({ conforming, untouched, extended }) => conforming - untouched - extended,
    ),
    row('differ, as explained below', ({ total, conforming }) => total - conforming),
    row('the same HTML without the policy', ({ same }) => same),
  ].join('\n')
}

function differencesOf({ title, numbering, link, explanations }: Suite): string {
  const byNumber = explanations.toSorted((one, other) => firstNumber(one) - firstNumber(other))
  const rows = byNumber.map(({ what, why, output }) => {
    const numbers = Object.keys(output).map((number) =>
      link === null ? number : `[${number}](${link}${number})`,
    )
    return `| ${numbers.join(', ')} | ${what} | ${why} |\n`
  })
  return `
### ${title}

${numbering}

| Examples | What differs | Why |
|---|---|---|
${rows.join('')}`
}

function firstNumber({ output }: Explanation): number {
  return Math.min(...Object.keys(output).map(Number))
}
