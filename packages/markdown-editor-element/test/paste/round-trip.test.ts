import { describe, expect, it } from 'vitest'
import { DefaultRenderer } from '../../../markdown/src/index.ts'
import { convert } from './support/parse.ts'

const renderer = new DefaultRenderer()

/** Markdown that is restored when its HTML is pasted. */
const SAME: Readonly<Record<string, string>> = {
  headings: '# a\n\n### b **c** d',
  'loose and tight lists': '- a\n- b\n  - c\n\ntext\n\n1. a\n\n   b\n\n2. c',
  'a list from another number, with code': '3. a\n4. b\n   ```js\n   x\n\n   y\n   ```',
  'adjacent lists': '- a\n\n* b\n\n- c',
  tasks: '- [ ] a **b**\n- [x] c',
  quotes: '> a\n>\n> > b\n>\n> - c',
  alerts: '> [!NOTE]\n> a\n>\n> b',
  code: '```ts\nconst a = `b`\n```\n\n````\n```\n````',
  'code spans': 'a `b` c ``d`e`` `` `f` ``',
  tables: '| a | b | c |\n| :-- | :-: | --: |\n| **d** | `e \\| f` | g<br>h |',
  rules: 'a\n\n---\n\nb',
  'line breaks': 'a\\\nb',
  marks: '**a** _b_ ~~c~~ ==d== H~2~O x^2^ <kbd>Ctrl</kbd>',
  'marks in words': 'un*frigging*believable a**b**c',
  links:
    '[a](https://a.example/b_(c)) [_b_](mailto:b@b.example) https://c.example/d_e?f=1&g=2 h@i.example',
  images: '![a](https://a.example/i.png) [![b](https://b.example/i.png)](https://b.example)',
  'signs that mean nothing':
    '2 * 3 = 6, a < b, snake_case, a == b, ~5 km, #1, 3.5, [sic], C:\\dir, AT&T, 100% | "quoted" - (x)',
  'signs that would mean something':
    '\\*a\\* \\_b\\_ \\`c\\` \\~\\~d\\~\\~ \\=\\=e\\=\\= \\<b> \\&amp; [f]\\(g) [\\^h]',
  'lines that would mean something': '\\# a\\\n\\- b\\\n\\+ c\\\n1\\. d\\\n\\> e\\\n\\---\\\nf',
}

describe('rendered markdown', () => {
  it.each(Object.entries(SAME))('is restored when it is pasted: %s', (_, markdown) => {
    expect(convert(renderer.render(markdown)).markdown).toBe(markdown)
  })
})

describe('the markdown of a paste', () => {
  it.each([
    ['a <b>b </b>c', 'a **b** c'],
    ['a<b> b</b>', 'a **b**'],
    ['<b>a</b><b>b</b>', '**ab**'],
    ['<b><b>a</b></b>', '**a**'],
    ['<b>a</b><i>b</i>', '**a**_b_'],
    ['<b>Note:</b>text', '<strong>Note:</strong>text'],
    ['<b><i>a</i> b</b> c', '**_a_ b** c'],
    ['<i>a<b>b</b></i>', '_a**b**_'],
    ['x<sup>a b</sup>', 'x<sup>a b</sup>'],
    ['<b>a<br></b>b', '**a**\\\nb'],
    ['<b>a<br>b</b>', '**a\\\nb**'],
    ['a<br><br>b', 'a\n\nb'],
    ['<i>!</i><a href="https://a.example">b</a>', '_!_[b](https://a.example)'],
    ['Wow!<a href="https://a.example">b</a>', 'Wow\\![b](https://a.example)'],
    ['<a href="https://a.example">https://a.example</a>, <b>b</b>', '<https://a.example>, **b**'],
    ['https://a.example/<b>b</b>', '<https://a.example/>**b**'],
    ['<h2><b>all bold</b></h2>', '## all bold'],
    ['<h3>C #</h3>', '### C \\#'],
    [
      '<a href="https://a.example"><h3>a</h3><p>b</p></a>',
      '### [a](https://a.example)\n\n[b](https://a.example)',
    ],
    ['<ul><li>a</li><ul><li>b</li></ul></ul>', '- a\n  - b'],
    ['<ol start="2"><li>a<ol start="4"><li>b</li></ol></li></ol>', '2. a\n\n   4. b'],
    ['<ul><li><hr></li></ul>', '* ---'],
    ['<b>1.</b> a', '**1.** a'],
    ['<p>1. <b>a</b></p>', '1\\. **a**'],
    ['<p><b>a</b>\u00a0: 10\u00a0000\u00a0\u00a0x</p>', '**a**\u00a0: 10\u00a0000 x'],
    ['<img src="https://a.example/e.png" alt="🎉" class="emoji"> <b>a</b>', '🎉 **a**'],
    ['<span style="font-weight:bold"><span style="font-weight:400">a</span> b</span>', 'a **b**'],
    [
      '<table><tr><th></th><th>A</th></tr><tr><th>B</th><td>c</td></tr></table>',
      '|  | A |\n| --- | --- |\n| **B** | c |',
    ],
    ['<table><tr><td><table><tr><td>a<td>b</table><td>c</table>', '| a<br>b | c |\n| --- | --- |'],
    [
      '<table><tr><td>a<td>b</tr><tr style="display:none"><td>c<td>d</tr><tr><td>e<td>f</tr></table>',
      '| a | b |\n| --- | --- |\n| e | f |',
    ],
  ])('%s', (html, markdown) => {
    expect(convert(html).markdown).toBe(markdown)
  })
})

describe('the lists of Word', () => {
  it.each([
    ['2.', '2. a'],
    ['1.3', '3. a'],
    ['(b)', '1. a'],
    ['iv.', '1. a'],
    ['o', '- a'],
    ['§', '- a'],
  ])('are numbered by the text before an item: %s', (mark, item) => {
    const html = `<p style="mso-list:l0 level1"><b style="mso-list:Ignore">${mark}&nbsp;</b>a</p>`
    expect(convert(html).markdown).toBe(item)
  })
})

it.each([
  [
    '<ul><li data-aria-level="1">a</li><li>b</li><li data-aria-level="1">c</li></ul>',
    '- a\n\n* b\n\n- c',
  ],
  ['<ul><li data-aria-level="1">a</li><ul><li>b</li></ul></ul>', '- a\n  - b'],
  ['<ol><li>a</li><li>b</li><li data-aria-level="1">c</li></ol>', '1. a\n2. b\n\n1) c'],
])('the items of a list keep their order if only some have a level: %s', (html, markdown) => {
  expect(convert(html).markdown).toBe(markdown)
})

it('a line of code begins after other text, also if it is in an inline element', () => {
  const html = '<pre>a<span><div>b</div></span><ol><li>c</li></ol></pre>'
  expect(convert(html).markdown).toBe('```\na\nb\nc\n```')
})
