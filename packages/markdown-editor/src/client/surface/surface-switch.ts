import type { EditorContext } from '../editor-context.ts'
import { loadPart } from '../load-part.ts'
import { watchComposition } from './composition.ts'
import type { Surface, SurfaceListener } from './surface.ts'
import { TextareaSurface } from './textarea-surface.ts'

type Kind = 'native' | 'codemirror'

// Characters. Where the two cost the same for each key: a textarea's cost grows with its text, CodeMirror's does not.
const LONG = 40_000
const SHORT = 20_000

/** Decides where someone writes: the `surface` attribute says so, or the length of the text. */
export class SurfaceSwitch {
  readonly #context: EditorContext
  readonly #listener: SurfaceListener
  readonly #idle: () => Promise<void>
  #surface: Surface
  #kind: Kind = 'native'
  #isChanging = false
  #isMissing = false

  constructor(context: EditorContext, listener: SurfaceListener) {
    const { host, signal, textarea } = context
    uncover(textarea)
    this.#context = context
    this.#listener = {
      changed: (changes) => {
        listener.changed(changes)
        this.update()
      },
      selected: () => listener.selected(),
    }
    this.#idle = watchComposition(host, signal)
    this.#surface = new TextareaSurface(textarea, this.#listener)
    // What has the focus next is known then.
    host.addEventListener('focusout', () => setTimeout(() => this.update()), { signal })
    this.update()
  }

  get surface(): Surface {
    return this.#surface
  }

  /** Changes the surface where that is due. */
  update(): void {
    if (!this.#isChanging && this.#wanted !== this.#kind) void this.#change()
  }

  /** Ends the surface. */
  end(): void {
    this.#surface.end()
  }

  get #wanted(): Kind {
    const { textarea } = this.#context
    const asked = this.#context.attribute('surface')
    if (this.#isMissing || asked === 'native') return 'native'
    if (asked === 'codemirror') return asked
    if (this.#kind === 'native') return textarea.textLength > LONG ? 'codemirror' : 'native'
    return this.#surface.focused || textarea.textLength > SHORT ? 'codemirror' : 'native'
  }

  async #change(): Promise<void> {
    const { signal, strings, textarea } = this.#context
    this.#isChanging = true
    try {
      const { CodeMirrorSurface } = await loadPart(() => import('./codemirror/codemirror-surface.ts'), strings)
      await this.#idle()
      const kind = this.#wanted
      if (signal.aborted || kind === this.#kind) return
      this.#kind = kind
      this.#put(() =>
        kind === 'native'
          ? new TextareaSurface(textarea, this.#listener)
          : new CodeMirrorSurface(this.#context, this.#listener),
      )
    } catch {
      this.#isMissing = true // The textarea serves as well, only slower.
    } finally {
      this.#isChanging = false
    }
  }

  /** Whoever writes goes on where they were. */
  #put(create: () => Surface): void {
    const { focused } = this.#surface
    this.#surface.end()
    this.#surface = create()
    if (focused) this.#surface.focus({ preventScroll: true })
    this.#listener.selected()
  }
}

/** A copy of a page, as Turbo makes it, may have a field that was covered. */
function uncover(textarea: HTMLTextAreaElement): void {
  const tabIndex = textarea.getAttribute('data-md-editor-covered')
  if (tabIndex === null) return
  for (const name of ['data-md-editor-covered', 'aria-hidden', 'tabindex']) textarea.removeAttribute(name)
  if (tabIndex !== '') textarea.setAttribute('tabindex', tabIndex)
}
