import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compare, merge as mergeTexts } from '../../src/drafts/merge.ts'

const merge = (base: string, mine: string, theirs: string): string[] =>
  mergeTexts({ base, mine, theirs })

// There are only a few different lines and words, so that equal lines are frequent.
const line = fc.constantFrom(
  '',
  'one',
  'two words',
  'two other words',
  '- a',
  '- b',
  '```',
  'constructor',
  'ünï 👩‍👧',
)
const text = fc
  .tuple(fc.array(line, { maxLength: 12 }), fc.constantFrom('', '\n'))
  .map(([lines, end]) => lines.join('\n') + end)

describe('merge', () => {
  it('returns the changed side if the other is unchanged', () => {
    fc.assert(
      fc.property(text, text, (base, changed) => {
        expect(merge(base, changed, base).join('')).toBe(changed)
        expect(merge(base, base, changed).join('')).toBe(changed)
        expect(merge(base, changed, changed).join('')).toBe(changed)
      }),
    )
  })

  it('keeps every addition of each side', () => {
    const edit = fc.tuple(fc.nat(12), fc.nat(2))
    fc.assert(
      fc.property(
        text,
        fc.array(edit, { maxLength: 4 }),
        fc.array(edit, { maxLength: 4 }),
        (base, mine, theirs) => {
          const merged = merge(base, change(base, mine, 'M'), change(base, theirs, 'T')).join('')
          for (const [index] of mine.entries()) expect(merged).toContain(`M${index}M`)
          for (const [index] of theirs.entries()) expect(merged).toContain(`T${index}T`)
        },
      ),
    )
  })

  it('has no conflict for separate changes', () => {
    const lines = Array.from({ length: 9 }, (_, index) => `line ${index}`)
    fc.assert(
      fc.property(fc.nat(8), fc.nat(8), (at, other) => {
        fc.pre(Math.abs(at - other) > 1)
        const written = (...changed: [number, string][]): string =>
          lines
            .map((each, index) => changed.find(([place]) => place === index)?.[1] ?? each)
            .join('\n')
        const merged = merge(lines.join('\n'), written([at, 'MINE']), written([other, 'THEIRS']))
        expect(merged).toEqual([written([at, 'MINE'], [other, 'THEIRS'])])
      }),
    )
  })

  it('contains both sides of a conflict, first the draft', () => {
    expect(merge('a\nfox\nz', 'a\ncat\nz', 'a\ndog\nz')).toEqual(['a\n', 'cat\ndog\n', 'z'])
    expect(merge('a\nfox\nz', 'a\nz', 'a\nfox two\nz')).toEqual(['a\n', 'fox two\n', 'z'])
  })

  it('repeats no unchanged text if both sides added a paragraph at the end', () => {
    expect(merge('one\n\ntwo', 'one\n\ntwo\n\nmine', 'one\n\ntwo\n\nother')).toEqual([
      'one\n\ntwo\n\n',
      'mine\n\nother',
      '',
    ])
  })

  it('merges a text of a megabyte whose lines are mostly empty', () => {
    const paragraphs = Array.from(
      { length: 12_000 },
      (_, index) => `Paragraph ${index} ${'word '.repeat(15)}\n\n`,
    )
    const [base, mine, theirs] = [[], [0], [11_999]].map((changed) =>
      paragraphs
        .map((each, index) => (changed.some((other) => other === index) ? `New. ${each}` : each))
        .join(''),
    ) as [string, string, string]
    expect(merge(base, mine, theirs)).toEqual([`New. ${theirs}`])
  }, 20_000)

  it('finishes for a text with one line repeated many times', () => {
    const many = 'same\n'.repeat(30_000)
    const merged = merge(`a\n${many}b\n`, `c\n${many}d\n`, `e\n${many}f\n`)
    expect(merged.join('').length).toBeGreaterThan(many.length)
  })

  it.each([400, 1600, 5000])(
    'finishes quickly for %i equal lines, wherever they changed',
    (count) => {
      const [base, mine, theirs] = [0, 9, 5].map((fewer) => 'a\n'.repeat(count - fewer)) as [
        string,
        string,
        string,
      ]
      const merged = merge(base, `b\n${mine}c\n`, `d\n${theirs}e\n`).join('')
      for (const line of ['b', 'c', 'd', 'e']) expect(merged).toContain(`${line}\n`)
    },
  )
})

describe('compare', () => {
  it('finishes quickly for many changed lines with many blank lines below them', () => {
    const written = (change: string): string =>
      Array.from({ length: 200 }, (_, index) => `${index}\n${change}${'\n'.repeat(540)}`).join('')
    expect(compare(written('old'), written('new'))).toHaveLength(401)
  })

  it('lists every line of both texts in order', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const places = compare(before, after)
        const sides = (['buffer1', 'buffer2'] as const).map((side) =>
          places.flatMap((place) => place.common ?? place[side]),
        )
        expect(sides).toEqual([linesOf(before), linesOf(after)])
      }),
    )
  })

  it('lists only the changed line', () => {
    const unique = Array.from({ length: 9 }, (_, index) => `line ${index}`)
    const blank = fc.array(fc.boolean(), { minLength: 9, maxLength: 9 })
    fc.assert(
      fc.property(fc.nat(8), blank, fc.boolean(), (at, others, isBlank) => {
        const blanks = (index: number): string[] => (others[index] ? [] : [''])
        const lines = [...unique.flatMap((line, index) => [line, ...blanks(index)]), 'end']
        const place = lines.indexOf(`line ${at}`)
        const added = isBlank ? '' : 'new'
        const changed = compare(
          lines.join('\n'),
          lines.toSpliced(place + 1, 0, added).join('\n'),
        ).flatMap(({ common, buffer1, buffer2 }) => (common ? [] : [buffer1, buffer2]))
        expect(changed).toEqual([[], [added]])
      }),
    )
  })

  it('finishes for a text with one line repeated many times', () => {
    const many = 'same\n'.repeat(30_000)
    expect(compare(`a\n${many}`, `${many}b\n`)).toHaveLength(1)
  })
})

function linesOf(given: string): string[] {
  return given === '' ? [] : given.replace(/\n$/, '').split('\n')
}

function change(base: string, edits: readonly (readonly [number, number])[], mark: string): string {
  const lines = base.split('\n')
  for (const [index, [at, removed]] of edits.entries()) {
    // An edit does not remove a line that an earlier edit has inserted.
    const place = Math.min(at, lines.length)
    const free = lines.slice(place, place + removed).every((each) => !each.startsWith(mark))
    lines.splice(place, free ? removed : 0, `${mark}${index}${mark}`)
  }
  return lines.join('\n')
}
