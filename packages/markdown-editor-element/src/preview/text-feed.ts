import type { EditorContext } from '../editor/editor-context.ts'
import type { TextChange } from '../surface/surface.ts'

/** An update of a text: the whole text, or its changes. */
type TextUpdate = { readonly text: string } | { readonly changes: readonly TextChange[] }

// With more changes than these, the whole text is shorter.
const MOST = 500

/** Collects the changes of an editor's text. */
export class TextFeed {
  readonly #context: EditorContext
  /** Null when the whole text must be read. */
  #changes: TextChange[] | null = null
  #version = 0

  /** @param onChange hears that there is something new */
  constructor(context: EditorContext, onChange: () => void) {
    this.#context = context
    context.onChange((changes) => {
      if (changes === null || (this.#changes?.push(...changes) ?? 0) > MOST) this.#changes = null
      this.#version++
      onChange()
    })
  }

  /** Another one after each change. */
  get version(): number {
    return this.#version
  }

  /** Whether there is something new since it was asked for. */
  get hasNews(): boolean {
    return this.#changes?.length !== 0
  }

  /** Returns the changes since the last call, or the whole text. */
  take(whole: boolean): TextUpdate {
    const changes = whole ? null : this.#changes
    this.#changes = []
    return changes === null ? { text: this.#context.surface.read().text } : { changes }
  }

  /** The last answer was of no use: there is news, whatever comes. */
  forget(): void {
    this.#changes = null
  }
}
