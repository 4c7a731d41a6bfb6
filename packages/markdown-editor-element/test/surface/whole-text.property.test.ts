import { EditorState } from '@codemirror/state'
import type { ViewUpdate } from '@codemirror/view'
import { array, assert, boolean, nat, property, record, string, tuple } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { WholeText } from '../../src/surface/codemirror/codemirror-text.ts'

const splice = record({ at: nat(), removed: nat(5), added: string({ maxLength: 5 }) })

describe('WholeText', () => {
  it('equals the document after any changes, read at any time', () => {
    assert(
      property(
        string({ maxLength: 40 }),
        array(tuple(array(splice, { maxLength: 3 }), boolean())),
        (text, steps) => {
          let state = EditorState.create({ doc: text })
          const whole = new WholeText(state.doc)
          for (const [splices, isRead] of steps) {
            const { length } = state.doc
            const changes = splices.map(({ at, removed, added }) => {
              const from = at % (length + 1)
              return { from, to: Math.min(length, from + removed), insert: added }
            })
            const transaction = state.update(...changes.map((change) => ({ changes: change })))
            state = transaction.state
            whole.note({ changes: transaction.changes, state } as ViewUpdate)
            if (isRead) expect(whole.of(state.doc)).toBe(state.doc.toString())
          }
          expect(whole.of(state.doc)).toBe(state.doc.toString())
        },
      ),
    )
  })
})
