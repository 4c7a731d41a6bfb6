import { join } from 'node:path'
import type { Figures } from './measure.ts'
import type { Explanation, Report, Suite } from './suites.ts'

/** The guide's page. */
export const pagePath: string = join(
  import.meta.dirname,
  '../../../../apps/docs/markdown-conformance.md',
)

/** Writes the guide's page from what was measured. */
export function writePage({ parser, suites }: Report): string {
  return `# Conformance of the renderer

What \`DefaultRenderer\`, with \`highlightLanguages: []\`, makes of the examples of [CommonMark 0.31.2](https://spec.commonmark.org/0.31.2/), of those of the
extensions in [GFM 0.29](https://github.github.com/gfm/), and of cases of our own, written from what GitHub documents beyond these examples.

A script writes this page from the renderer's output. A test fails when it is not up to date, and for each difference that is not explained on it:

\`\`\`sh
node packages/markdown/test/conformance/report.ts       # the figures; --json, --differences, --write
npx vitest run packages/markdown/test/conformance
\`\`\`

${figuresTable(suites)}

The parser alone, markdown-it in its \`commonmark\` mode, gives the same HTML for ${parser.same} of the ${parser.total} examples of CommonMark; byte for byte for
${parser.bytes}, as it writes no line break into an empty \`<blockquote>\`.

## What is counted

The renderer adds to HTML and takes from it on purpose. An example **conforms** when the HTML of its specification, after the policy, is the renderer's. Code of
the test does that to the specification's HTML; it reads the table \`defaultPolicy\` and shares nothing else with the renderer. It parses with parse5, as a browser does, and

- drops comments, instructions and declarations, \`<script>\`, \`<style>\`, \`<textarea>\` and their like with their content, and paragraphs that are empty then;
- drops the tags of elements that are not listed or stand in a wrong place, and attributes and URLs that are not listed;
- adds \`rel\` to links that lead out of the text, ids to headings, and the prefix of ids to links within the text.

Both are then written in one way and must be equal: attributes in order, one spelling of \`"\` and \`<br>\`, no white space next to the tags of blocks. What is no
policy counts as a difference, such as addresses that become links.

The rows under **conform** say how much that policy did: nothing, only additions, or cleaning. The last two rows are without it, with \`linkRel: ''\`; heading ids
count as differences there.

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
    row('- with nothing done', ({ untouched }) => untouched),
    row('- with `rel` and ids added', ({ extended }) => extended),
    row('- cleaned', ({ conforming, untouched, extended }) => conforming - untouched - extended),
    row('differ, as explained below', ({ total, conforming }) => total - conforming),
    row('the same HTML without the policy', ({ same }) => same),
    row('byte for byte without the policy', ({ bytes }) => bytes),
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
