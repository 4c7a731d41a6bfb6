import type { Edit } from '../commands/edit.ts'
import type { FieldContext, HistoryStep, Surface, TextChanges } from '../surface/surface.ts'
import type { Notice } from './notice.ts'
import type { StatusLine } from './status-line.ts'

/** The interface that an editor exposes to its parts. */
export interface EditorContext extends FieldContext {
  /** The current surface. It can change, so do not store it. */
  readonly surface: Surface
  readonly notice: Notice
  /** The status line at the foot of the editor. */
  readonly status: StatusLine
  /**
   * Changes the text as one step of the history.
   *
   * @param takeFocus true if the user asked for the change; else the focus does not move
   * @returns false if the text cannot be changed
   */
  edit(edit: Edit, takeFocus: boolean): boolean
  /** Calls a listener after each change of the text, until the editor ends. */
  onChange(listener: (changes: TextChanges, step?: HistoryStep) => void): void
  /** Calls a listener when the selection may have changed, until the editor ends. */
  onSelect(listener: () => void): void
  /**
   * Calls a listener for each key pressed in the element, except in dialogs and the list of
   * completions, until the editor ends.
   */
  onKey(listener: (event: KeyboardEvent) => void): void
  /**
   * Calls a listener when text and selection have not changed for 150 ms, until the editor ends.
   */
  onPause(listener: () => void): void
}
