import { join } from 'node:path'
import { DefaultRenderer } from '../../../packages/markdown/src/index.ts'
import { constructs, type Example, removals, type Section } from './constructs.ts'
import { elementsTable, embedsTable, globalAttributes, schemesTable } from './policy-tables.ts'

/** The path of the guide's page. */
export const pagePath: string = join(import.meta.dirname, '../../../apps/docs/markdown-syntax.md')

const renderer = new DefaultRenderer()

/** Returns the guide's page with the output of the renderer. */
export function writePage(): string {
  return `# Markdown syntax

Each construct, and the HTML that \`new DefaultRenderer().render(markdown)\` makes of it: [CommonMark
0.31.2](https://spec.commonmark.org/0.31.2/), [GFM](https://github.github.com/gfm/), a few extensions, and a subset of
HTML. [Conformance](../../packages/markdown/test/conformance/README.md) counts the differences.

${constructs.map(sectionOf).join('\n')}
## Elements

\`defaultPolicy\` of \`@quillgate/markdown\` is this table as data.
The option [\`policy\`](rendering.md#what-texts-may-contain) takes another one.

${elementsTable()}

Every element may have ${globalAttributes()}.

| Rule | Values that stay |
|---|---|
| In parentheses | One of these values; in a \`class\`, these words. A final \`*\` stands for letters, digits and \`+ # . _ -\` |
| text; flag | Any; none, because only the attribute stays |
| number, span, length | Up to nine digits; 1 to 999; up to five digits with \`px\` or \`%\` |
| id | Begins with \`user-content-\` |
| link, media | Relative URLs, and URLs with these schemes: |

${schemesTable()}

Links that lead out of the text get \`rel="nofollow ugc noopener"\`. Frames may show these sites only:

${embedsTable()}

## What is removed

Other elements lose their tags and keep their text. Scripts, styles and comments are removed with their content.

| Markdown | HTML |
|---|---|
${removals.map(removalOf).join('\n')}
`
}

function sectionOf({ title, about, examples }: Section): string {
  return `## ${title}\n\n${about === undefined ? '' : `${about}\n\n`}${examples.map(exampleOf).join('\n')}`
}

function exampleOf({ about, markdown }: Example): string {
  const before = about === undefined ? '' : `${about}\n\n`
  return `${before}${fence('md', markdown)}\n\n${fence('html', renderer.render(markdown))}\n`
}

function removalOf({ markdown }: Example): string {
  const html = renderer.render(markdown)
  return `| ${code(markdown)} | ${html === '' ? '' : code(html)} |`
}

function fence(language: string, text: string): string {
  const marks = text.includes('```') ? '````' : '```'
  return `${marks}${language}\n${text}\n${marks}`
}

function code(value: string): string {
  return `\`${value.replaceAll('\n', '\\n').replaceAll('|', '\\|')}\``
}
