import type { Edit } from '../commands/edit.ts'
import type { EditorStrings } from '../i18n/strings.ts'
import type { Notice, StatusLine } from './notice.ts'
import type { HistoryStep, Surface } from './surface.ts'

/** The interface that an editor exposes to its parts. */
export interface EditorContext {
  readonly host: HTMLElement
  /** The field of the form; its text is read and changed through the surface. */
  readonly textarea: HTMLTextAreaElement
  readonly strings: EditorStrings
  /** Aborted when the editor ends. */
  readonly signal: AbortSignal
  attribute(name: string): string
  /** The current surface. It can change, so do not store it. */
  readonly surface: Surface
  readonly notice: Notice
  readonly status: StatusLine
  /**
   * Changes the text as one step of the undo history. Returns false if that is not possible.
   * `takeFocus` moves the focus to the text, and shows an error if the change does not fit; use it
   * for changes that the user asked for.
   */
  edit(edit: Edit, takeFocus: boolean): boolean
  readonly events: EditorEvents
}

/** A list of listeners. If one throws, the error is reported and the others are still called. */
class Listeners<Args extends readonly unknown[] = []> {
  readonly #all: ((...args: Args) => void)[] = []

  add(listener: (...args: Args) => void): void {
    this.#all.push(listener)
  }

  call(...args: Args): void {
    for (const listener of this.#all) {
      try {
        listener(...args)
      } catch (error) {
        reportError(error)
      }
    }
  }
}

// The pause before listeners are called, in milliseconds. Pauses in fast typing are shorter.
const PAUSE = 150

// Events within this many milliseconds count as one: a key changes the text and then the selection.
const GRAIN = 20

/** The events of an editor. They share DOM listeners, because every listener slows typing. */
export class EditorEvents {
  readonly change: Listeners<[step?: HistoryStep]> = new Listeners()
  /** Called when the selection may have changed. */
  readonly select: Listeners = new Listeners()
  /** Called for keys outside of dialogs, unless the list of completions handles them. */
  readonly key: Listeners<[event: KeyboardEvent]> = new Listeners()
  /** Called when the text and the selection have not changed for 150 ms. */
  readonly pause: Listeners = new Listeners()
  readonly #host: HTMLElement
  readonly #signal: AbortSignal
  #isComposing = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #set = 0

  constructor(host: HTMLElement, signal: AbortSignal) {
    this.#host = host
    this.#signal = signal
    const note = ({ type }: Event): void => {
      this.#isComposing = type === 'compositionstart'
    }
    host.addEventListener('compositionstart', note, { signal })
    host.addEventListener('compositionend', note, { signal })
    host.addEventListener('keydown', (event) => this.key.call(event), { signal })
    signal.addEventListener('abort', () => clearTimeout(this.#timer))
  }

  /** Surfaces call this method. `step` is set if an undo or redo has changed the text. */
  changed(step?: HistoryStep): void {
    this.#awaitPause()
    this.change.call(step)
  }

  selected(): void {
    this.#awaitPause()
    this.select.call()
  }

  /** Waits for the end of a composition, which an edit would interrupt. */
  async composed(): Promise<void> {
    const options = { once: true, signal: this.#signal }
    while (this.#isComposing) {
      await new Promise((end) => this.#host.addEventListener('compositionend', end, options))
      // The browser writes the composed text after this event.
      await new Promise((written) => setTimeout(written))
    }
  }

  #awaitPause(): void {
    const now = performance.now()
    if (this.#signal.aborted) return
    if (this.#timer !== undefined && now - this.#set <= GRAIN) return
    clearTimeout(this.#timer)
    this.#set = now
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.pause.call()
    }, PAUSE)
  }
}
