import type { ChangeSet } from '@codemirror/state'
import type { TextChange } from '../surface.ts'

/** The changes of an update, each in the text that the ones before it made. */
export function changesOf(changes: ChangeSet): TextChange[] {
  const list: TextChange[] = []
  changes.iterChanges((from, to, start, _end, inserted) => {
    list.push({ start, end: start + to - from, insert: inserted.toString() })
  })
  return list
}
