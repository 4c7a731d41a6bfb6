import { join } from 'node:path'
import { DefaultRenderer } from '../../../packages/markdown/src/index.ts'
import { constructs, type Example, removals, type Section } from './constructs.ts'
import {
  elementsTable,
  embedSandbox,
  embedsTable,
  globalAttributes,
  schemeRows,
} from './policy-tables.ts'

/** The path of the page in the guide. */
export const pagePath: string = join(import.meta.dirname, '../../../apps/docs/markdown-syntax.md')

const renderer = new DefaultRenderer()

/** Returns the content of the page, with the current output of the renderer. */
export function writePage(): string {
  return `# Markdown syntax

This page shows the supported Markdown and the HTML that \`new DefaultRenderer().render(markdown)\` returns. Long tags are
wrapped. The renderer supports [CommonMark 0.31.2](https://spec.commonmark.org/0.31.2/),
[GFM](https://github.github.com/gfm/), a few extensions, and a subset of HTML.
[Conformance](../../packages/markdown/test/conformance/README.md) lists the differences.

${constructs.map(sectionOf).join('\n')}
## Elements

This table is \`defaultPolicy\` of \`@quillgate/markdown\`. To change it, pass the option
[\`policy\`](rendering.md#what-texts-may-contain).

${elementsTable()}

Every element may have ${globalAttributes()}.

| Rule | Values that stay |
|---|---|
| Values in parentheses | One of these values. In \`class\` and \`controlslist\`, several of them. A final \`*\` stands for letters, digits and \`+ # . _ -\`. A \`*\` at the start stands for letters |
| text | Any text |
| flag | None, because only the name of the attribute stays |
| number | Up to nine digits, also with a minus |
| span | 1 to 999 |
| length | Up to five digits, also with \`px\` or \`%\` |
| id | Begins with \`user-content-\` |
${schemeRows()}

Links that do not begin with \`#\` get \`rel="nofollow ugc noopener"\`. Frames may show only the sites below, with
\`sandbox="${embedSandbox()}"\`:

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
  const html = wrapTags(renderer.render(markdown))
  return `${before}${fence('md', markdown)}\n\n${fence('html', html)}\n`
}

/** Breaks lines of more than 120 columns. The breaks are before attributes. */
function wrapTags(html: string): string {
  return html.replaceAll(/^.{121,}$/gm, (line) => {
    const spaces = [...line.matchAll(/(?<=<\w[^<>]*) (?=[\w-]+=")/g)].map(({ index }) => index)
    const parts: string[] = []
    let start = 0
    let end = 0
    for (const space of [...spaces, line.length]) {
      if (space - start > 120) {
        parts.push(line.slice(start, end))
        start = end + 1
      }
      end = space
    }
    return [...parts, line.slice(start)].join('\n')
  })
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
