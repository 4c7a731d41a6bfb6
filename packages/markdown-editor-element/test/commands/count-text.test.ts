import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countPiece, piecesOf, type TextCount } from '../../src/commands/count-text.ts'

function count(text: string): TextCount {
  const counts = [...piecesOf(text)].map(countPiece)
  return {
    words: counts.reduce((sum, { words }) => sum + words, 0),
    characters: counts.reduce((sum, { characters }) => sum + characters, 0),
  }
}

describe('the counts of words and characters', () => {
  it.each([
    ['', 0, 0],
    ['one', 1, 3],
    ['Two words.', 2, 10],
    ['**bold**, it’s _fine_\n\n- item\n', 4, 30],
    ['我喜欢写作', 3, 5],
    ['สวัสดีครับ', 2, 7],
    ['👩‍👩‍👧‍👦 🇩🇪 é👍🏽', 1, 6],
    ['3.14 and 1,000', 3, 14],
  ])('of %j match what readers count', (text, words, characters) => {
    expect(count(text)).toEqual({ words, characters })
  })

  it.each([
    ['**[word](https://example.com/a_(b) "A title")**\n\n- one\n- two\n- three', 4],
    ['A cat ![photo of it](/media/a.png)\n<img src="/a.png" alt="it"><br>\nasleep', 3],
    ['<video src="/a.mp4" controls>film.mp4</video> and [paper.pdf](/media/paper.pdf)', 2],
    ['1. one\n2) two\n> 3. three\n- [x] done\n- [ ] open', 5],
    ['See https://example.com/a/b or <https://example.com>[^1]', 2],
    ['> [!NOTE]\n> text\n\n```ts\ncode\n```', 2],
    ['[a] (in brackets) is 1.5 of 2', 7],
  ])('of %j exclude markup and addresses', (text, expected) => {
    expect(count(text).words).toBe(expected)
  })

  it('are the same in a text of any length', () => {
    const line = 'Some words, 我喜欢 and 👩‍👩‍👧‍👦 too. '
    const { words, characters } = count(line)
    expect(count(line.repeat(2_000))).toEqual({
      words: words * 2_000,
      characters: characters * 2_000,
    })
    expect(count('x'.repeat(10_000)).characters).toBe(10_000)
  })

  it('are the sums of the lines', () => {
    const parts = fc.string({
      unit: fc.constantFrom('a', 'é', ' ', '-', '我', '👍🏽', '1', '.', "'"),
    })
    fc.assert(
      fc.property(parts, parts, (some, other) => {
        const [one, two, both] = [count(`${some}\n`), count(other), count(`${some}\n${other}`)]
        expect(both).toEqual({
          words: one.words + two.words,
          characters: one.characters + two.characters,
        })
      }),
    )
  })
})
