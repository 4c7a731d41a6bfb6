import type { TextCommandName } from '../commands/commands.ts'
import { whenIdle } from '../dom/idle.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { loadPart, messageOf } from '../i18n/load-part.ts'

type Part = typeof import('./writing.ts')

/** Loads the text commands when the browser is idle, or when the user enters the editor. */
export class Writing {
  readonly #context: EditorContext
  readonly #onLoad: () => void
  #part: Part | null = null

  constructor(context: EditorContext, onLoad: () => void) {
    this.#context = context
    this.#onLoad = onLoad
    const prefetch = (): void => {
      // Ignores the error, because a later command tries again and reports it.
      if (!context.signal.aborted) this.#load().catch(() => {})
    }
    whenIdle(prefetch)
    for (const type of ['focusin', 'pointerenter']) {
      context.host.addEventListener(type, prefetch, { signal: context.signal, once: true })
    }
  }

  /** Runs a command once its module is loaded. Keeps the order of calls. */
  async run(name: TextCommandName): Promise<void> {
    const context = this.#context
    const part =
      this.#part ??
      (await this.#load().catch((error: unknown) => context.notice.fail(messageOf(error))))
    part?.runCommand(name, context)
  }

  activeOf(names: readonly TextCommandName[]): ReadonlySet<string> {
    return this.#part?.activeOf(names, this.#context) ?? new Set()
  }

  async #load(): Promise<Part> {
    const context = this.#context
    const part = await loadPart(() => import('./writing.ts'), context.strings)
    if (this.#part === null && !context.signal.aborted) {
      this.#part = part
      part.helpTyping(context)
      this.#onLoad()
    }
    return part
  }
}
