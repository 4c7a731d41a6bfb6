import { describe, expect, it } from 'vitest'
import { DefaultRenderer } from '../../src/rendering/index.ts'

const renderer = new DefaultRenderer()
const size = 100_000
const fill = (unit: string, length = size) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length)
const nest = (open: string, close: string) => {
  const count = Math.floor(size / (open.length + close.length))
  return open.repeat(count) + close.repeat(count)
}

const repeated: readonly string[] = [
  ...[
    '[',
    '![',
    '](',
    '[a](',
    '[[]',
    '[a]: b\n',
    '[^',
    '[^1]: ',
    '[x](<',
    '*a',
    '**a ',
    '*a _b **c __d ',
    '`',
    '`a``b',
    '~',
    '~a',
    '^a',
  ],
  ...[
    '==a ',
    '<',
    '<a ',
    '<a href="',
    `<a b="<a b='`,
    '<b>',
    '<b></i>',
    '</b>',
    '<div>\n',
    '<table><tr><td>',
    '<script>',
    '<iframe>',
  ],
  ...[
    '<svg><title>',
    '<!--',
    '<!x',
    '<![CDATA[',
    '<?',
    '&',
    '&#',
    '\\',
    '> ',
    '>\n',
    '- ',
    '- a\n',
    '> - ',
    '1. ',
    '# a\n',
    '|a|a\n|-|-\n',
  ],
  ...[
    'a|',
    '```\n',
    'www.',
    'http://a.b/(',
    'a@',
    'a@b.c ',
    '- [ ] a\n',
    '<details>\n\n',
    '<a href=x>',
    '<input type=checkbox disabled>',
  ],
]

const shaped: Readonly<Record<string, string>> = {
  'nested brackets': nest('[', ']'),
  'nested links': nest('[', '](x)'),
  'nested elements': nest('<b>', '</b>'),
  'nested marks': nest('==a ', ' a=='),
  'open elements, then other end tags': fill('<b>', size / 2) + fill('</i>', size / 2),
  'one attribute list': `<div ${fill('a ')}>`,
  'white space in a tag': `<div><a${fill(' ')}`,
  'inline comments': `x ${fill('<!--')}`,
  'inline scripts with one end': `x ${fill('<script>')}</script>`,
  'one word': fill('a'),
  'a long superscript': `^${fill('a')}`,
  'references to one footnote': `[^1]: x\n\n${fill('[^1]')}`,
  'numbered headings of one name': fill('# a-1\n', size / 2) + fill('# a\n', size / 2),
  'a wide table': `${fill('a|', size / 2)}\n${fill('-|', size / 2)}\n`,
  'a table of empty cells': `${fill('a|', 2000)}\n${fill('-|', 2000)}\n${fill('a\n', size - 4000)}`,
}

// Each takes a small part of a second; what is not linear takes minutes. The deadline only tells these apart.
describe('100 kB of', () => {
  it.each([...repeated.map((unit) => [unit, fill(unit)]), ...Object.entries(shaped)])(
    '%j is rendered in time',
    (_name, text = '') => {
      expect(renderer.render(text)).toBeTypeOf('string')
    },
    10_000,
  )
})
