import { describe, expect, it } from 'vitest'
import { behindMarkup } from '../../src/uploads/behind-markup.ts'
import { parseCarets } from '../support/caret.ts'

/** Moves the caret from `|`; the text is given with it. */
function move(notation: string): string {
  const { text, selectionEnd } = parseCarets(notation)
  const at = behindMarkup(text, selectionEnd)
  return `${text.slice(0, at)}|${text.slice(at)}`
}

describe('behindMarkup', () => {
  it.each([
    ['a tag', 'a <img src="/a|.png" alt="<b>"> b', 'a <img src="/a.png" alt="<b>">| b'],
    [
      'a player',
      '<video src="/a.mp4" controls>\\<a|.mp4</video> b',
      '<video src="/a.mp4" controls>\\<a.mp4</video>| b',
    ],
    ['a player that does not end', '<video src="/|a.mp4"> b', '<video src="/a.mp4">| b'],
    ['the tag alone of one', '</video><video src="/|a">', '</video><video src="/a">|'],
    ['a closing tag', '<b>a</|b>', '<b>a</b>|'],
    ['an autolink', '<https://exa|mple.org> b', '<https://example.org>| b'],
    ['the label of a picture', 'a\n!|[b [c]](/a.png)\nd', 'a\n![b [c]](/a.png)|\nd'],
    ['the address of a picture', '![a](/a(1)|.png) b', '![a](/a(1).png)| b'],
    ['the address of a link', '[a](/a|b) c', '[a](/ab)| c'],
    ['the title of a link', '[a](</a b> "c|)" ) d', '[a](</a b> "c)" )| d'],
    ['the seam of a link', '[a]|(/a)', '[a](/a)|'],
    ['the place of an upload', '[Uploading a|.pdf…]() b', '[Uploading a.pdf…]()| b'],
    ['a picture in a link', '[![a](/a|.png)](/b)', '[![a](/a.png)|](/b)'],
    ['the second of two', '![a](/a)![b](/|b)', '![a](/a)![b](/b)|'],
  ])('leaves %s', (_name, before, after) => {
    expect(move(before)).toBe(after)
  })

  it.each([
    '|<img src="/a.png">',
    '![a](/a)|![b](/b)',
    '|![a](/a)',
    '[a|](/a)',
    '<b>a|b</b>',
    'a < b|c > d',
    '![a](/a|b c)',
    '\\![a\\](/a|b)',
    '\\<b|r>',
    '[a](b\n|c)',
    '|',
    '\n|\n',
  ])('leaves alone what stands elsewhere: %j', (text) => {
    expect(move(text)).toBe(text)
  })

  it('takes no time for lines that open a lot', () => {
    const began = performance.now()
    for (const part of ['[', '[](', '<a ', '<a b="', '![a](<', '[a](b "', '](', '<video>']) {
      const text = part.repeat(50_000)
      behindMarkup(text, text.length - 1)
    }
    expect(performance.now() - began).toBeLessThan(2_000)
  })
})
