import { loadStyles } from '../dom/load-styles.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import type { Surface } from '../editor/surface.ts'
import { TextareaSurface, uncover } from './textarea-surface.ts'

type Part = typeof import('./codemirror/codemirror-surface.ts')
type Kind = 'native' | 'codemirror'

// In UTF-16 code units. In a textarea, the time of a key press grows with the text.
const LONG = 40_000

/** Switches the surface by the attribute `surface` or the length of the text. */
export class SurfaceSwitch {
  readonly #context: EditorContext
  #surface: Surface
  #kind: Kind = 'native'
  #isChanging = false
  #isMissing = false

  constructor(context: EditorContext) {
    // In a copy of the page, such as one from Turbo's cache, the textarea may still be covered.
    uncover(context.textarea)
    this.#context = context
    this.#surface = new TextareaSurface(context)
    context.events.change.add(() => this.update())
    this.update()
  }

  get surface(): Surface {
    return this.#surface
  }

  update(): void {
    if (!this.#isChanging && this.#wanted !== this.#kind) void this.#change()
  }

  end(): void {
    this.#surface.end()
  }

  get #wanted(): Kind {
    const { textarea } = this.#context
    const asked = this.#context.attribute('surface')
    if (this.#isMissing || asked === 'native') return 'native'
    return asked === 'codemirror' || textarea.textLength > LONG ? 'codemirror' : this.#kind
  }

  async #change(): Promise<void> {
    const { events, host, signal } = this.#context
    this.#isChanging = true
    try {
      const [part] = await Promise.all([
        import('./codemirror/codemirror-surface.ts').catch(() => null),
        loadStyles(host, 'surface'),
      ])
      await events.composed()
      this.#isMissing = part === null // If CodeMirror cannot be loaded, the textarea stays.
      const kind = this.#wanted
      if (part !== null && !signal.aborted && kind !== this.#kind) this.#put(kind, part)
    } finally {
      this.#isChanging = false
    }
  }

  #put(kind: Kind, { CodeMirrorSurface }: Part): void {
    const before = this.#surface
    const { focused } = before
    if (kind === 'native') {
      before.end()
      this.#surface = new TextareaSurface(this.#context)
    } else {
      this.#surface = new CodeMirrorSurface(this.#context)
      before.end()
    }
    this.#kind = kind
    if (focused) {
      const { selectionStart, selectionEnd } = this.#surface.read()
      this.#surface.focus({ preventScroll: true })
      this.#surface.select(selectionStart, selectionEnd) // Scrolls to the caret.
    }
    this.#context.events.selected()
  }
}
