import type { Edit } from '../commands/edit.ts'
import type { FieldContext, Surface, TextChanges } from '../surface/surface.ts'
import type { Notice } from './notice.ts'
import type { StatusLine } from './status-line.ts'

/** The interface that an editor exposes to its parts. */
export interface EditorContext extends FieldContext {
  /** The current surface. It can change, so do not store it. */
  readonly surface: Surface
  readonly notice: Notice
  /** The line that tells about the text. */
  readonly status: StatusLine
  /**
   * Changes the text, as one step of the history.
   *
   * @param takeFocus true at the user's wish; else the focus stays where it is
   * @returns false when the text takes no change
   */
  edit(edit: Edit, takeFocus: boolean): boolean
  /** Calls a listener whenever the text has changed, by whomever, until the editor ends. */
  onChange(listener: (changes: TextChanges) => void): void
  /** Calls a listener whenever the selection may have changed, until the editor ends. */
  onSelect(listener: () => void): void
  /**
   * Calls a listener for each key that is pressed in the element, until the editor ends. Dialogs and an open list of
   * completions keep their keys to themselves.
   */
  onKey(listener: (event: KeyboardEvent) => void): void
  /** Calls a listener whenever neither text nor selection has changed for 150 ms, until the editor ends. */
  onPause(listener: () => void): void
}
