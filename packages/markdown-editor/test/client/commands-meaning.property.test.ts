import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TEXT_COMMANDS, type TextCommandName } from '../../src/client/commands/commands.ts'
import { applyEdit, type Command, type TextState } from '../../src/client/commands/edit.ts'
import { indentLines, outdentLines } from '../../src/client/commands/indent.ts'
import { continueLine } from '../../src/client/writing/continue.ts'
import { DefaultRenderer } from '../../src/rendering/index.ts'
import { run } from './support/caret.ts'

const renderer = new DefaultRenderer({ highlightLanguages: [] })

const elements = [
  ['bold', 'strong'],
  ['italic', 'em'],
  ['strikethrough', 'del'],
  ['highlight', 'mark'],
  ['superscript', 'sup'],
  ['subscript', 'sub'],
  ['code', 'code'],
] as const

// What a word may stand beside: letters, signs of markdown and of others, spaces, emoji. A back quote would begin other code.
const neighbours = [
  ...[
    '',
    ' ',
    'a',
    'é',
    'e\u0301',
    'ß',
    '7',
    '日',
    '。',
    '「',
    '」',
    '’',
    '“',
    '”',
    '…',
    '–',
    '👩‍💻',
    '❤️',
    '𝒳',
    '\u200d',
    '\u00a0',
  ],
  ...[
    '.',
    ',',
    ';',
    ':',
    '?',
    '!',
    '"',
    "'",
    '(',
    ')',
    '{',
    '}',
    '/',
    '%',
    '$',
    '@',
    '+',
    '-',
    '&',
    '|',
    '_',
    '#',
    '>',
  ],
]
const words = ['word', 'naïve', '日本', 'ελ', 'a1', '𝒳𝒴', 'кот']

describe('what the commands mean, by our renderer', () => {
  it.each(elements)('%s marks a word as <%s> beside any character', (name, element) => {
    fc.assert(
      fc.property(
        fc.constantFrom(...neighbours),
        fc.constantFrom(...words),
        fc.constantFrom(...neighbours),
        (before, word, after) => {
          const start = `x ${before}`.length
          const state = {
            text: `x ${before}${word}${after} y`,
            selectionStart: start,
            selectionEnd: start + word.length,
          }
          expect(renderer.render(run(state, name).text)).toContain(`<${element}>${word}</${element}>`)
        },
      ),
      { numRuns: 400 },
    )
  })

  it.each(elements)('%s marks a word as <%s> in a heading, a quote, a task, and a cell', (name, element) => {
    for (const line of [
      '# a word b',
      '> a word b',
      '- [ ] a word b',
      '1. a word b',
      '| a word b |\n|---|',
      '> - # a word b',
    ]) {
      const start = line.indexOf('word')
      const caret = { text: line, selectionStart: start + 2, selectionEnd: start + 2 }
      expect(renderer.render(run(caret, name).text)).toContain(`<${element}>word</${element}>`)
    }
  })

  it('all marks can stand in each other', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(elements.filter(([name]) => name !== 'code')), (styles) => {
        // One meaning of `~` takes the place of the other.
        fc.pre(!styles.some(([name]) => name === 'subscript') || !styles.some(([name]) => name === 'strikethrough'))
        const state = styles.reduce((text, [name]) => run(text, name), {
          text: 'a word b',
          selectionStart: 2,
          selectionEnd: 6,
        })
        const html = renderer.render(state.text)
        for (const [, element] of styles) expect(html).toContain(`<${element}>`)
        const back = styles.reduce((text, [name]) => run(text, name), state)
        expect(back).toEqual({ text: 'a word b', selectionStart: 2, selectionEnd: 6 })
      }),
    )
  })
})

interface Item {
  readonly kind: '-' | '*' | '1.' | '7)' | '- [ ]'
  readonly children: readonly Item[]
}

const { items } = fc.letrec<{ items: Item[]; item: Item }>((tie) => ({
  items: fc.array(tie('item'), { minLength: 1, maxLength: 3, depthIdentifier: 'list' }),
  item: fc.record({
    kind: fc.constantFrom<Item['kind']>('-', '*', '1.', '7)', '- [ ]'),
    children: fc.oneof({ depthIdentifier: 'list', maxDepth: 2 }, fc.constant([]), tie('items')),
  }),
}))

describe('lists, by our renderer', () => {
  it('Enter behind an item writes another beside it', () => {
    check((state, before, index) => {
      const next = apply(state, continueLine)
      const typed = {
        ...next,
        text: `${next.text.slice(0, next.selectionStart)}new${next.text.slice(next.selectionEnd)}`,
      }
      const after = outline(typed.text)
      // What lay in the item now lies in the new one: its lines are below the caret.
      expect(after).toEqual(before.toSpliced(index + 1, 0, { ...before[index], name: 'new' } as Entry))
    })
  })

  it('Tab puts an item and all in it one level deeper, and Shift+Tab takes it back', () => {
    check((state, before, index) => {
      const edit = TEXT_COMMANDS.indent.run(state)
      const inside = before.slice(index + 1).findIndex(({ depth }) => depth <= (before[index]?.depth ?? 0))
      const end = inside === -1 ? before.length : index + 1 + inside
      const deeper = before.map((entry, at) => (at >= index && at < end ? { ...entry, depth: entry.depth + 1 } : entry))
      if (edit === null) return
      const next = applyEdit(state, edit)
      expect(outline(next.text)).toEqual(deeper)
      expect(outline(apply(next, TEXT_COMMANDS.outdent.run).text)).toEqual(before)
    })
  })

  it.each(['ordered-list', 'unordered-list', 'task-list'] as const)('%s keeps what lies in each item', (name) => {
    check((state, before) => {
      const whole = { text: state.text, selectionStart: 0, selectionEnd: state.text.length }
      fc.pre(TEXT_COMMANDS[name].isActive?.(whole) === false)
      const { text } = run(whole, name)
      expect(outline(text)).toEqual(before)
      expect(TEXT_COMMANDS[name].isActive?.({ ...whole, text, selectionEnd: text.length })).toBe(true)
    })
  })
})

interface Entry {
  readonly name: string
  readonly depth: number
}

/** Holds something against lists with the caret behind any of their items. */
function check(holds: (state: TextState, before: Entry[], index: number) => void): void {
  fc.assert(
    fc.property(items, fc.nat(), fc.constantFrom('', '> '), (list, pick, quote) => {
      const lines = write(list, 0, { next: 0 }).map((line) => quote + line)
      const text = lines.join('\n')
      const before = outline(text)
      fc.pre(before.length === lines.length)
      const index = pick % lines.length
      const caret = lines.slice(0, index + 1).join('\n').length
      holds({ text, selectionStart: caret, selectionEnd: caret }, before, index)
    }),
    { numRuns: 300 },
  )
}

/** A list as an author writes it: each item indented as far as the mark above it is wide. */
function write(list: readonly Item[], indent: number, names: { next: number }): string[] {
  const [first] = list
  return list.flatMap(({ children }, index) => {
    const kind = first?.kind ?? '-'
    const mark = kind.replace(/\d+/, (start) => String(Number(start) + index))
    const width = mark.replace(' [ ]', '').length + 1
    return [`${' '.repeat(indent)}${mark} n${names.next++}`, ...write(children, indent + width, names)]
  })
}

/** The items of a text and how deep they lie in lists. */
function outline(text: string): Entry[] {
  let depth = 0
  return Array.from(
    renderer
      .render(text)
      .matchAll(/<(\/?)[uo]l\b[^>]*>|<li\b[^>]*>\s*(?:<p>)?(?:<label>)?(?:<input[^>]*>)?\s*([^<\n]*)/g),
  ).flatMap(([tag, close, name]) => {
    if (name !== undefined) return [{ name: name.trim(), depth }]
    depth += tag.startsWith('</') || close === '/' ? -1 : 1
    return []
  })
}

function apply(state: TextState, command: Command): TextState {
  const edit = command(state)
  return edit === null ? state : applyEdit(state, edit)
}

describe('time', () => {
  const names = Object.keys(TEXT_COMMANDS) as TextCommandName[]
  const line = '- some **words** and `code` in a line | x'

  /** Milliseconds of the processor that a command takes with a whole text selected, at best. */
  const measure = (name: TextCommandName, text: string): number => {
    const state = { text, selectionStart: 0, selectionEnd: text.length }
    return Math.min(
      ...Array.from({ length: 3 }, () => {
        const before = process.cpuUsage()
        TEXT_COMMANDS[name].isActive?.(state)
        run(state, name)
        const { user, system } = process.cpuUsage(before)
        return (user + system) / 1000
      }),
    )
  }

  /** Twenty times the text takes about twenty times as long; quadratic time would be 400 times. */
  const expectLinear = (name: TextCommandName, write: (count: number) => string): void => {
    measure(name, write(300))
    expect(measure(name, write(6000))).toBeLessThan(100 * measure(name, write(300)) + 100)
  }

  it.each(names)('%s grows no faster than the text', (name) => {
    expectLinear(name, (count) => Array.from({ length: count }, () => line).join('\n'))
  })

  it.each(['bold', 'code'] as const)('%s does not slow down in one line of many marks', (name) => {
    expectLinear(name, (count) => '| `ab '.repeat(count))
    expectLinear(name, (count) => '**a '.repeat(count))
    expectLinear(name, (count) =>
      Array.from({ length: Math.sqrt(count * 8) }, (_, index) => `${'`'.repeat(index + 1)} `).join(''),
    )
  })

  const LENGTH = 40_000
  const runs = [...'`*_~=[(\\>-#|'].map((sign): [string, string] => [`runs of ${sign}`, sign.repeat(LENGTH)])

  it.each<[string, string]>([
    ...runs,
    ['back quotes one by one', '` '.repeat(LENGTH / 2)],
    ['brackets behind backslashes', '[\\'.repeat(LENGTH / 2)],
    ['links without an end', `[a](${' '.repeat(LENGTH)}x`],
    ['quotes in a code block', `\`\`\`\n${'> '.repeat(LENGTH / 2)}x`],
    ['the line under the head of a table, with blanks', `a|b\n|-${' '.repeat(LENGTH)}x`],
  ])('no command takes long for %s', (_, text) => {
    const { length } = text
    const states = [0, length].map((selectionStart) => ({ text, selectionStart, selectionEnd: length }))
    const before = process.cpuUsage()
    for (const state of states) {
      for (const name of names) {
        TEXT_COMMANDS[name].isActive?.(state)
        TEXT_COMMANDS[name].run(state)
      }
      for (const command of [continueLine, indentLines, outdentLines]) command(state)
    }
    const { user, system } = process.cpuUsage(before)
    // All together take some tenths of a second; what takes quadratic time takes many.
    expect((user + system) / 1e6).toBeLessThan(4)
  })
})
