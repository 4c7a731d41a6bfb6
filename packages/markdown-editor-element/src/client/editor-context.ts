import type { Edit } from './commands/edit.ts'
import type { Notice } from './status/notice.ts'
import type { StatusLine } from './status/status-line.ts'
import type { EditorStrings } from './strings/strings.ts'
import type { Surface, TextChanges } from './surface/surface.ts'

/** What the parts of an editor have of it. */
export interface EditorContext {
  /** The element, with its attributes. */
  readonly host: HTMLElement
  /** The field of the form; its text is read and changed through the surface. */
  readonly textarea: HTMLTextAreaElement
  /** Where someone writes now. It may be another one later: do not keep it. */
  readonly surface: Surface
  /** The words of the editor's language. */
  readonly strings: EditorStrings
  readonly notice: Notice
  /** The line that tells about the text. */
  readonly status: StatusLine
  /** Aborted when the editor ends. */
  readonly signal: AbortSignal
  /** An attribute of the element, `''` when it is not there. */
  attribute(name: string): string
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
