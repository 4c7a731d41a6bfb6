import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DefaultRenderer } from '../../../markdown/src/index.ts'
import { TEXT_COMMANDS } from '../../src/commands/commands.ts'
import { continueLine } from '../../src/commands/continue.ts'
import { applyEdit, type Command, type TextState } from '../../src/commands/edit.ts'
import { run } from '../support/caret.ts'

const renderer = new DefaultRenderer({ highlightLanguages: [] })

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

describe('lists, as rendered', () => {
  it('Enter after an item adds an item at the same level', () => {
    check((state, before, index) => {
      const next = apply(state, continueLine)
      const typed = {
        ...next,
        text: `${next.text.slice(0, next.selectionStart)}new${next.text.slice(next.selectionEnd)}`,
      }
      const after = outline(typed.text)
      // The nested items now belong to the new item, because their lines are below the caret.
      expect(after).toEqual(
        before.toSpliced(index + 1, 0, { ...before[index], name: 'new' } as Entry),
      )
    })
  })

  it('Tab indents an item with its content, and Shift+Tab reverts it', () => {
    check((state, before, index) => {
      const edit = TEXT_COMMANDS.indent.run(state)
      const inside = before
        .slice(index + 1)
        .findIndex(({ depth }) => depth <= (before[index]?.depth ?? 0))
      const end = inside === -1 ? before.length : index + 1 + inside
      const deeper = before.map((entry, at) =>
        at >= index && at < end ? { ...entry, depth: entry.depth + 1 } : entry,
      )
      if (edit === null) return
      const next = applyEdit(state, edit)
      expect(outline(next.text)).toEqual(deeper)
      expect(outline(apply(next, TEXT_COMMANDS.outdent.run).text)).toEqual(before)
    })
  })

  it.each(['ordered-list', 'unordered-list', 'task-list'] as const)(
    '%s keeps the content of each item',
    (name) => {
      check((state, before) => {
        const whole = { text: state.text, selectionStart: 0, selectionEnd: state.text.length }
        fc.pre(TEXT_COMMANDS[name].isActive?.(whole) === false)
        const { text } = run(whole, name)
        expect(outline(text)).toEqual(before)
        expect(TEXT_COMMANDS[name].isActive?.({ ...whole, text, selectionEnd: text.length })).toBe(
          true,
        )
      })
    },
  )
})

interface Entry {
  readonly name: string
  readonly depth: number
}

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

function write(list: readonly Item[], indent: number, names: { next: number }): string[] {
  const [first] = list
  return list.flatMap(({ children }, index) => {
    const kind = first?.kind ?? '-'
    const mark = kind.replace(/\d+/, (start) => String(Number(start) + index))
    const width = mark.replace(' [ ]', '').length + 1
    return [
      `${' '.repeat(indent)}${mark} n${names.next++}`,
      ...write(children, indent + width, names),
    ]
  })
}

function outline(text: string): Entry[] {
  let depth = 0
  return Array.from(
    renderer
      .render(text)
      .matchAll(
        /<(\/?)[uo]l\b[^>]*>|<li\b[^>]*>\s*(?:<p>)?(?:<label>)?(?:<input[^>]*>)?\s*([^<\n]*)/g,
      ),
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
