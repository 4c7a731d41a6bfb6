import type { EditorContext } from '../../editor/editor-context.ts'
import { loadPart } from '../../i18n/load-part.ts'
import type { CompletionProvider } from './provider.ts'

/** Completes words in an editor. Loads the code when the page sets a provider of completions. */
export class Completions {
  readonly #context: EditorContext
  #providers: readonly CompletionProvider[] = []
  #loads = false

  constructor(context: EditorContext) {
    this.#context = context
  }

  use(providers: readonly CompletionProvider[]): void {
    this.#providers = providers
    if (this.#loads || providers.length === 0) return
    this.#loads = true
    const { signal, strings } = this.#context
    loadPart(() => import('./completion.ts'), strings).then(
      ({ Completion }) => {
        if (!signal.aborted) new Completion(this.#context, () => this.#providers)
      },
      () => {
        this.#loads = false // Without completions, the editor still works.
      },
    )
  }
}
