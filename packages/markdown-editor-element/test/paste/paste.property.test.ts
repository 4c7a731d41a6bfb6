import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DefaultRenderer } from '../../../markdown/src/index.ts'
import { outline } from './support/outline.ts'
import { convert } from './support/parse.ts'

const renderer = new DefaultRenderer()

function shown(html: string): { markdown: string; html: string } {
  const { markdown } = convert(html)
  return { markdown, html: renderer.render(markdown) }
}

const escapeHtml = (text: string): string =>
  text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)

const RUNS = 300
const SIGNS = [...'*_~^=`[](){}<>&!|#+-.:;\\/"\'$%?,12']
const word = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('a', 'bc', 'Wort', '7', 'é', '字', '😀', 'x1') },
  { weight: 4, arbitrary: fc.constantFrom(...SIGNS) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '**',
      '__',
      '~~',
      '==',
      '![',
      '](',
      '```',
      '---',
      '===',
      '&amp;',
      '1.',
      '- ',
      '<b>',
      '[x] ',
    ),
  },
)
const text = fc
  .array(fc.oneof({ weight: 4, arbitrary: word }, { weight: 1, arbitrary: fc.constant(' ') }), {
    minLength: 1,
    maxLength: 8,
  })
  .map((parts) => escapeHtml(parts.join('')))

const TAGS = [
  'b',
  'i',
  's',
  'mark',
  'sub',
  'sup',
  'kbd',
  'code',
  'a href="https://x.example/p_(q)?a=1&b=*c*"',
]
const { inline } = fc.letrec<{ inline: string; element: string }>((tie) => ({
  element: fc
    .tuple(fc.constantFrom(...TAGS), tie('inline'))
    .map(([tag, inner]) => `<${tag}>${inner}</${tag.split(' ')[0]}>`),
  inline: fc
    .array(
      fc.oneof(
        { maxDepth: 3, depthIdentifier: 'inline' },
        { weight: 3, arbitrary: text },
        {
          weight: 1,
          arbitrary: fc.constantFrom(
            '<br>',
            ' ',
            '<img src="https://x.example/i.png" alt="a *b* [c]">',
          ),
        },
        { weight: 3, arbitrary: tie('element') },
      ),
      { minLength: 1, maxLength: 4, depthIdentifier: 'inline' },
    )
    .map((parts) => parts.join('')),
}))

// Each line starts with a word or with text that looks like a marker, so that no line is empty.
const line = fc
  .tuple(fc.constantFrom('a', 'Wort ', '1. ', '# ', '- '), text)
  .map((parts) => parts.join(''))
const code = fc
  .array(fc.constantFrom('a', '`', '```', ' ', '\n', '    x', '&lt;b>', '~~~', '|', '\\'), {
    minLength: 1,
    maxLength: 8,
  })
  .map((parts) => parts.join('').replace(/^\s+|\s+$/g, ''))
  .filter((content) => content !== '')
const row = (name: string) =>
  fc
    .array(line, { minLength: 2, maxLength: 2 })
    .map((cells) => `<tr>${cells.map((cell) => `<${name}>${cell}</${name}>`).join('')}</tr>`)
const table = fc
  .tuple(row('th'), fc.array(row('td'), { minLength: 1, maxLength: 3 }))
  .map(([head, body]) => `<table><thead>${head}</thead><tbody>${body.join('')}</tbody></table>`)
const { blocks } = fc.letrec<{ blocks: string; block: string; item: string }>((tie) => ({
  item: fc
    .tuple(
      fc.constantFrom('', '<input type="checkbox"> ', '<input type="checkbox" checked> '),
      line,
      fc.option(tie('block')),
    )
    .map(
      ([box, content, inner]) =>
        `<li>${box}${content}${inner !== null && /^<[uo]l/.test(inner) ? inner : ''}</li>`,
    ),
  block: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'block' },
    line.map((content) => `<p>${content}</p>`),
    fc
      .tuple(fc.integer({ min: 1, max: 6 }), line)
      .map(([level, content]) => `<h${level}>${content}</h${level}>`),
    fc.constant('<hr>'),
    code.map((content) => `<pre><code>${content}\n</code></pre>`),
    table,
    fc
      .tuple(
        fc.constantFrom('ul', 'ol', 'ol start="3"'),
        fc.array(tie('item'), { minLength: 1, maxLength: 3 }),
      )
      .map(([tag, items]) => `<${tag}>${items.join('')}</${tag.slice(0, 2)}>`),
    tie('blocks').map((content) => `<blockquote>${content}</blockquote>`),
  ),
  blocks: fc
    .array(tie('block'), { minLength: 1, maxLength: 4, depthIdentifier: 'block' })
    .map((parts) => parts.join('')),
}))

describe('the markdown of pasted HTML', () => {
  it('renders each text unchanged', () => {
    fc.assert(
      fc.property(text, (content) => {
        const html = `<p>${content}</p>`
        const { markdown, html: rendered } = shown(html)
        expect(outline(rendered), markdown).toBe(outline(html))
      }),
      { numRuns: RUNS },
    )
  })

  it('renders each line with its marks', () => {
    fc.assert(
      fc.property(inline, (content) => {
        const html = `<p>${content}</p>`
        const { markdown, html: rendered } = shown(html)
        expect(outline(rendered), markdown).toBe(outline(html))
      }),
      { numRuns: RUNS },
    )
  })

  it('renders addresses that are not links unchanged', () => {
    const address = fc.constantFrom(
      'https://a.example/b_c',
      'http://a.example',
      'www.a.example/*',
      'x_y@a.example',
      'https://',
      '@',
    )
    const part = fc.oneof(
      address,
      text,
      fc.constantFrom(' ', '<b>', '</b>', '<i>', '</i>', '<code>', '</code>'),
    )
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (parts) => {
        const html = `<p>${parts.join('')}</p>`
        const { markdown, html: rendered } = shown(html)
        // The renderer converts bare addresses to links.
        expect(outline(rendered.replace(/<\/?a[^>]*>/g, '')), markdown).toBe(outline(html))
      }),
      { numRuns: RUNS },
    )
  })

  it('renders each block', () => {
    fc.assert(
      fc.property(blocks, (html) => {
        const { markdown, html: rendered } = shown(html)
        expect(outline(rendered), markdown).toBe(outline(html))
      }),
      { numRuns: RUNS },
    )
  })

  it('is restored from the rendered HTML', () => {
    fc.assert(
      fc.property(blocks, (html) => {
        const { markdown, html: rendered } = shown(html)
        expect(convert(rendered).markdown).toBe(markdown)
      }),
      { numRuns: RUNS },
    )
  })
})
