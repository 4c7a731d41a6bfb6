import type { Edit, TextState } from '../commands/edit.ts'

/**
 * The writing area: the textarea itself, or CodeMirror over it. The textarea stays the field of the
 * form; all other parts of the editor read and change the text through this interface. Offsets are
 * UTF-16 code units.
 */
export interface Surface {
  readonly element: HTMLElement
  /**
   * The element that has the focus during writing, and that receives keys, pastes and compositions.
   */
  readonly target: HTMLElement
  read(): TextState
  /**
   * Returns the lines around the selection, with offsets from the start of the first of these
   * lines. In a long text, this is faster than `read`.
   *
   * @param reach the minimum number of code units on each side of the selection
   */
  readAround(reach: number): TextState
  /**
   * Changes the text as if the user had typed: as one step of the undo history and with one `input`
   * event of the textarea, which may be sent later.
   *
   * @returns false if the text cannot be changed: the field is read-only or disabled, or the new
   * text would exceed `maxlength`
   */
  edit(edit: Edit): boolean
  /** Selects `[start, end)`, and scrolls there. */
  select(start: number, end: number): void
  readonly editable: boolean
  readonly focused: boolean
  focus(options?: FocusOptions): void
  undo(): void
  redo(): void
  /**
   * Returns the rectangle of a character in the window, in CSS pixels, or null if it is invisible.
   * The property is null for the textarea, where `rectInTextarea` measures the rectangle.
   */
  readonly rectAt: ((offset: number) => DOMRect | null) | null
  reveal(): Promise<void>
  /** Returns the offset of the character at a point in the window, or null if it is unknown. */
  offsetAt(x: number, y: number): number | null
  /** The lines of CodeMirror; null for the textarea, which `TextareaLines` measures. */
  readonly lines: Lines | null
  /** Reads a text that a script has written into the textarea. */
  takeOver(): void
  /** Updates the textarea immediately. */
  flush(): void
  /** Updates the textarea, then removes the surface and its listeners. */
  end(): void
}

/** Reads and sets the scroll position in lines of the text. */
export interface Lines {
  /** The first visible line, from 0, with a fraction if it is partly visible. */
  readonly topLine: number
  scrollToLine(line: number): void
}

/** A step in the undo history that the user has made. */
export type HistoryStep = 'undo' | 'redo'

/** The events of a surface. */
export interface SurfaceListener {
  changed(step?: HistoryStep): void
  selected(): void
}

/**
 * Changes the text as one step of its undo history, for which the surface needs the focus. If
 * `takeFocus` is false and another part of the editor has the focus, it gets the focus back after
 * the change. A focus outside of the editor does not move.
 *
 * @param takeFocus true to leave the focus in the text
 * @returns false if the text cannot be changed
 */
export function editFromOutside(
  host: HTMLElement,
  surface: Surface,
  edit: Edit,
  takeFocus: boolean,
): boolean {
  const active = document.activeElement
  const borrow = !takeFocus && !surface.focused && host.contains(active)
  if (takeFocus || borrow) surface.focus({ preventScroll: borrow })
  const done = surface.edit(edit)
  if (borrow) (active as HTMLElement).focus({ preventScroll: true })
  return done
}
