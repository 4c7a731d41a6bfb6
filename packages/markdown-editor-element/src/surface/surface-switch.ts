import { watchComposition } from '../dom/idle.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import type { Surface, SurfaceListener } from '../editor/surface.ts'
import { loadPart } from '../i18n/load-part.ts'
import { TextareaSurface, uncover } from './textarea-surface.ts'

type Context = Pick<
  EditorContext,
  'host' | 'textarea' | 'strings' | 'notice' | 'signal' | 'attribute'
>
type Part = typeof import('./codemirror/codemirror-surface.ts')
type Kind = 'native' | 'codemirror'

// Characters. The cost of a key grows with the text of a textarea, but not with that of CodeMirror.
// At about this length both cost the same.
const LONG = 40_000
const SHORT = 20_000

/** Chooses the surface by the `surface` attribute, or by the length of the text. */
export class SurfaceSwitch {
  readonly #context: Context
  readonly #listener: SurfaceListener
  readonly #idle: () => Promise<void>
  #surface: Surface
  #kind: Kind = 'native'
  #isChanging = false
  #isMissing = false

  constructor(context: Context, listener: SurfaceListener) {
    const { host, signal, textarea } = context
    uncover(textarea) // A copy of a page, as Turbo makes it, may have a field that was covered.
    this.#context = context
    this.#listener = {
      changed: (step) => {
        listener.changed(step)
        this.update()
      },
      selected: () => listener.selected(),
    }
    this.#idle = watchComposition(host, signal)
    this.#surface = new TextareaSurface(textarea, this.#listener)
    // After the event, when the next focus is known.
    host.addEventListener('focusout', () => setTimeout(() => this.update()), { signal })
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
    if (asked === 'codemirror') return asked
    if (this.#kind === 'native') return textarea.textLength > LONG ? 'codemirror' : 'native'
    return this.#surface.focused || textarea.textLength > SHORT ? 'codemirror' : 'native'
  }

  async #change(): Promise<void> {
    const { signal, strings } = this.#context
    this.#isChanging = true
    try {
      const part = await loadPart(
        () => import('./codemirror/codemirror-surface.ts'),
        strings,
      ).catch(() => null)
      await this.#idle()
      this.#isMissing = part === null // The textarea serves as well, only slower.
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
      this.#surface = new TextareaSurface(this.#context.textarea, this.#listener)
    } else {
      this.#surface = new CodeMirrorSurface(this.#context, this.#listener)
      before.end()
    }
    this.#kind = kind
    if (focused) this.#surface.focus({ preventScroll: true })
    this.#listener.selected()
  }
}
