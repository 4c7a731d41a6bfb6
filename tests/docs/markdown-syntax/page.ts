import { join } from 'node:path'
import { DefaultRenderer } from '../../../packages/markdown/src/index.ts'
import { constructs, type Example, removals, type Section } from './constructs.ts'
import { elementsTable, embedsTable, globalAttributes, schemesTable } from './policy-tables.ts'

/** The guide's page. */
export const pagePath: string = join(import.meta.dirname, '../../../apps/docs/markdown-syntax.md')

const renderer = new DefaultRenderer()

/** Writes the guide's page from what the renderer gives. */
export function writePage(): string {
  return `# Markdown that is understood

Each construct, and the HTML that \`new DefaultRenderer().render(markdown)\` makes of it: [CommonMark 0.31.2](https://spec.commonmark.org/0.31.2/), the extensions of
[GFM](https://github.github.com/gfm/), a few more, and a subset of HTML. [Conformance](markdown-conformance.md) counts the differences to the specifications.

A script writes this page from the renderer's output and its policy; a test fails when it is not up to date:

\`\`\`sh
node tests/docs/markdown-syntax/write.ts
\`\`\`

${constructs.map(sectionOf).join('\n')}
## Elements

\`defaultPolicy\` of \`@quillgate/markdown\` is this table as data; [\`extendPolicy\`](rendering.md#what-texts-may-contain) makes another one.

${elementsTable()}

Every element may have ${globalAttributes()}.

| Rule | Values that stay |
|---|---|
| In parentheses | One of these; of a \`class\` and the like, those of its words. A final \`*\` stands for letters and digits of any script and \`+ # . _ -\`, a first one for letters |
| text | Any |
| flag | The attribute counts, its value is dropped |
| number, span, length | Up to nine digits with an optional minus; 1 to 999; up to five digits with an optional \`px\` or \`%\` |
| id | What begins with \`user-content-\` and holds no white space |
| link, media | Relative URLs, and those of these schemes: |

${schemesTable()}

Links that lead out of the text get \`rel="nofollow ugc noopener"\`. Frames are of these sites only:

${embedsTable()}

## What is removed

Elements that are not listed lose their tags and keep their text. Scripts, styles and their like go with their content; comments go as well. An address of another scheme
leaves its link without one. Tags that stand where a browser would not leave them go, and what is left open is closed. \`renderDocument(markdown).removed\` says what went, and
why; not of comments and of what a frame loses.

${removals.map(removalOf).join('\n')}`
}

function sectionOf({ title, about, examples }: Section): string {
  return `## ${title}\n\n${about === undefined ? '' : `${about}\n\n`}${examples.map(exampleOf).join('\n')}`
}

function exampleOf({ about, markdown }: Example): string {
  const before = about === undefined ? '' : `${about}\n\n`
  return `${before}${fence('md', markdown)}\n\n${fence('html', renderer.render(markdown))}\n`
}

function removalOf({ markdown }: Example): string {
  const { removed } = renderer.renderDocument(markdown)
  const rows = removed.map(({ kind, name, value, reason }) => {
    const what = value === undefined ? '' : ` ${code(value)}`
    return `| ${kind} | \`${name}\`${what} | ${reason.replaceAll('<', '&lt;')} |\n`
  })
  const table =
    rows.length === 0 ? '' : `\n| Kind | What | Reason |\n|---|---|---|\n${rows.join('')}`
  return `${exampleOf({ markdown })}${table}`
}

function fence(language: string, text: string): string {
  const marks = text.includes('```') ? '````' : '```'
  return `${marks}${language}\n${text}\n${marks}`
}

function code(value: string): string {
  return `\`${value.replaceAll('\n', '\\n').replaceAll('|', '\\|')}\``
}
