import { IdleTimer, Listeners } from '../dom/idle.ts'
import type { HistoryStep, SurfaceListener, TextChanges } from '../surface/surface.ts'

/**
 * The events of an editor. Its parts share the browser's listeners, because each listener makes
 * typing slower.
 */
export class EditorEvents implements SurfaceListener {
  readonly change: Listeners<[changes: TextChanges, step?: HistoryStep]> = new Listeners()
  readonly select: Listeners = new Listeners()
  readonly key: Listeners<[event: KeyboardEvent]> = new Listeners()
  readonly #quiet: IdleTimer = new IdleTimer()

  /** @param signal ends it */
  constructor(host: HTMLElement, signal: AbortSignal) {
    host.addEventListener('keydown', (event) => this.key.tell(event), { signal })
    signal.addEventListener('abort', () => this.#quiet.end())
  }

  /** Called when text and selection have not changed for a while. */
  get pause(): Listeners {
    return this.#quiet.listeners
  }

  changed(changes: TextChanges, step?: HistoryStep): void {
    this.#quiet.note()
    this.change.tell(changes, step)
  }

  selected(): void {
    this.#quiet.note()
    this.select.tell()
  }
}
