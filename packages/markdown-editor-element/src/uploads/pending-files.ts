import type { EditorContext } from '../editor/editor-context.ts'
import type { PendingStore } from './pending-store.ts'

// Larger ones would fill what a browser gives a site.
const LARGEST = 50 * 1024 * 1024

/**
 * Keeps files that are on their way in the browser, so that a draft can go on with them after a reload; as far as it goes,
 * and only for editors that keep drafts. A file belongs to one tab: the other tabs neither take nor change it.
 */
export class PendingFiles {
  readonly #context: EditorContext
  readonly #held = new Map<string, () => void>()
  #last: Promise<unknown> = Promise.resolve()

  constructor(context: EditorContext) {
    this.#context = context
    context.signal.addEventListener('abort', () => {
      for (const release of this.#held.values()) release()
    })
  }

  /** Keeps the file that a placeholder stands for, until it is forgotten. */
  keep(placeholder: string, file: File): void {
    if (file.size > LARGEST) return
    void this.#inTurn(async (store) => {
      if (await this.#hold(placeholder)) await store.put(placeholder, file)
    })
  }

  /** The file that a placeholder stands for, kept on; null when there is none, or another tab has it. */
  async take(placeholder: string): Promise<File | null> {
    const file = await this.#inTurn(async (store) =>
      (await this.#hold(placeholder)) ? store.get(placeholder) : null,
    )
    return file ?? null
  }

  /** Forgets the file that a placeholder stood for. */
  forget(placeholder: string): void {
    void this.#inTurn(async (store) => {
      if (!this.#held.has(placeholder)) return
      await store.delete(placeholder)
      this.#held.get(placeholder)?.()
      this.#held.delete(placeholder)
    })
  }

  /** Does one thing after the other. Undefined when the editor keeps nothing, or cannot. */
  #inTurn<Result>(run: (store: PendingStore) => Promise<Result>): Promise<Result | undefined> {
    const key = this.#context.attribute('draft')
    if (key === '') return Promise.resolve(undefined)
    const user = this.#context.attribute('draft-user')
    const result = this.#last
      .then(() => import('./pending-store.ts'))
      .then(({ PendingStore }) => run(new PendingStore({ key, user })))
      .catch(() => undefined) // It was only to be on the safe side.
    this.#last = result
    return result
  }

  /** Holds the lock on a placeholder's file. False when another tab does. */
  async #hold(placeholder: string): Promise<boolean> {
    if (this.#held.has(placeholder)) return true
    const name = `md-editor-file ${JSON.stringify([this.#context.attribute('draft'), placeholder])}`
    const release = await holdLock(name)
    if (release === null) return false
    this.#held.set(placeholder, release)
    return true
  }
}

/** Takes a lock that all tabs share, where there are locks; gives what releases it, or null when it is taken. */
function holdLock(name: string): Promise<(() => void) | null> {
  const { locks } = navigator as { locks?: LockManager } // Not on pages without https.
  if (locks === undefined) return Promise.resolve(() => {})
  return new Promise((resolve, reject) => {
    const request = locks.request(name, { ifAvailable: true }, (lock) => {
      if (lock === null) return resolve(null)
      return new Promise<void>((release) => resolve(release))
    })
    request.catch(reject)
  })
}
