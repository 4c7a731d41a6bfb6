import type { Edit, TextState } from '../commands/edit.ts'

/**
 * The writing area: the textarea itself, or CodeMirror over it. The textarea stays the field of the
 * form; all other parts of the editor read and change the text through this interface. Offsets are
 * UTF-16 code units.
 */
export interface Surface {
  readonly element: HTMLElement
  /** The element that receives the focus, keys, pastes and compositions. */
  readonly target: HTMLElement
  read(): TextState
  /**
   * Changes the text as one step of the undo history, and sends an `input` event, possibly later.
   * Returns false if the field is read-only or disabled, or if the text would exceed `maxlength`.
   */
  edit(edit: Edit): boolean
  /** Selects `[start, end)`. CodeMirror also scrolls there. */
  select(start: number, end: number): void
  readonly editable: boolean
  readonly focused: boolean
  focus(options?: FocusOptions): void
  /** Undoes or redoes a step. Does nothing if there is none. */
  step(step: HistoryStep): void
  /** Returns whether there may be something to undo or to redo. */
  can(step: HistoryStep): boolean
  /** Returns the position of an offset in the window. The textarea has no such method. */
  rectAt?(offset: number): DOMRect | null
  reveal(): Promise<void>
  /** Returns the offset of the character at a point in the window, or null if it is unknown. */
  offsetAt(x: number, y: number): number | null
  /** Reads a text that a script has written into the textarea. */
  takeOver(): void
  /** Updates the textarea immediately. */
  flush(): void
  /** Updates the textarea, then removes the surface and its listeners. */
  end(): void
}

/** The direction of a step in the undo history. */
export type HistoryStep = 'undo' | 'redo'
