import type { Edit, TextState } from '../commands/edit.ts'
import type { EditorStrings } from '../i18n/strings.ts'

/** The field that a surface belongs to. */
export interface FieldContext {
  /** The element, with its attributes. */
  readonly host: HTMLElement
  /** The field of the form; its text is read and changed through the surface. */
  readonly textarea: HTMLTextAreaElement
  /** The words of the editor's language. */
  readonly strings: EditorStrings
  /** Shows a message to the user. */
  readonly notice: { fail(message: string, action: null): void }
  /** Aborted when the editor ends. */
  readonly signal: AbortSignal
  /** The value of an attribute of the element, `''` if it is missing. */
  attribute(name: string): string
}

/** How an element gets the focus. */
export interface FocusOptions {
  /** Leaves the page scrolled as it is. */
  readonly preventScroll?: boolean
}

/**
 * Where someone writes: the textarea itself, or a viewport surface that is laid over it. The textarea stays the form's
 * truth; everything else of the editor reads and changes the text through this port. Offsets are UTF-16 code units.
 */
export interface Surface {
  /** The element to show. */
  readonly element: HTMLElement
  /**
   * The element that has the focus during writing, and that receives keys, pastes and compositions.
   */
  readonly target: HTMLElement
  /** The whole text as it is now, and the selection. */
  read(): TextState
  /**
   * The lines around the selection, cheap in a long text: enough to tell what the selection is in. Offsets count from
   * the start of these lines.
   *
   * @param reach how many code units there are at least to each side, where the text has so many
   */
  readAround(reach: number): TextState
  /**
   * Changes the text as if the user had typed: one step of the history, and one `input` event at the textarea, at once or
   * when the textarea is brought up to date.
   *
   * @returns false when it takes no change: read-only, disabled, or without room (`maxlength`)
   */
  edit(edit: Edit): boolean
  /** Selects `[start, end)`, and scrolls there. */
  select(start: number, end: number): void
  /** True when the user may change the text. */
  readonly editable: boolean
  /** True when typing goes here. */
  readonly focused: boolean
  focus(options?: FocusOptions): void
  undo(): void
  redo(): void
  /**
   * The rectangle of a character in the window, in CSS pixels; null if it is unknown or invisible.
   */
  rectAt(offset: number): DOMRect | null
  /** Settles when `rectAt` can tell, as far as it ever can: what measures may have to be loaded first. */
  measurable(): Promise<void>
  /** The offset of the character at a place in the window; null when the surface cannot tell. */
  offsetAt(x: number, y: number): number | null
  /** Its lines; null for the textarea: `TextareaLines` measures what it has broken into rows. */
  readonly lines: Lines | null
  /** Takes over what a script has written into the textarea. */
  takeOver(): void
  /** Brings the textarea up to date at once. */
  flush(): void
  /** Ends it. The textarea is up to date then. */
  end(): void
}

/** Scrolls by lines of the text. */
export interface Lines {
  /** The line at the upper edge, from 0, with a fraction for one that is partly out of sight. */
  readonly topLine: number
  /** Scrolls a line to the upper edge. */
  scrollToLine(line: number): void
}

/** A part of a text that is replaced. Offsets are UTF-16 code units. */
export interface TextChange {
  readonly start: number
  readonly end: number
  readonly insert: string
}

/**
 * How a text became another one: changes in their order, each in the text that those before it made. Null when that is
 * not known, and the whole text must be read.
 */
export type TextChanges = readonly TextChange[] | null

/** The events of a surface. */
export interface SurfaceListener {
  /** The text has changed, by whomever. */
  changed(changes: TextChanges): void
  /** The selection has changed. */
  selected(): void
}

/**
 * Changes the text of a surface as one step of its history, which it is only while the surface has the focus: without a
 * wish of the user the focus is borrowed, and only from a button of the editor itself.
 *
 * @param takeFocus leaves the focus in the text
 * @returns false when the text takes no change
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
