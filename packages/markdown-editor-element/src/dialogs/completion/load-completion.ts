import type { EditorContext } from '../../editor/editor-context.ts'
import { loadPart } from '../../i18n/load-part.ts'
import type { CompletionProvider } from './provider.ts'

/** Completes words in an editor. The code is loaded when there is a provider. */
export class Completions {
  readonly #context: EditorContext
  #providers: readonly CompletionProvider[] = []
  #loads = false

  constructor(context: EditorContext) {
    this.#context = context
  }

  /** Sets the providers. */
  use(providers: readonly CompletionProvider[]): void {
    this.#providers = providers
    if (this.#loads || providers.length === 0) return
    this.#loads = true
    const { signal, strings } = this.#context
    loadPart(() => import('./completion.ts'), strings).then(
      ({ startCompletion }) => {
        if (!signal.aborted) startCompletion(this.#context, () => this.#providers)
      },
      () => {
        this.#loads = false // Completion is optional.
      },
    )
  }
}
