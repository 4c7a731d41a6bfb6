import type { Disk } from './disk.ts'

/** At which call a process dies. */
export type KillPoint =
  | {
      /** Number of the call, from 1. */
      readonly call: number
      /** Whether the call still takes effect. */
      readonly when: 'before' | 'after'
    }
  /** In front of its first call of this name. */
  | { readonly name: string }

/** What a dead process gets when its calls are released at last; nothing of it reaches the storage or the database. */
export class Killed extends Error {}

/**
 * A process that dies at one of its calls, for tests in one real process: from that moment on none of its calls reaches
 * storage or database, and none comes back.
 */
export class MortalProcess {
  readonly #point: KillPoint | null
  readonly #names: string[] = []
  readonly #running = new Set<Promise<unknown>>()
  readonly #open: (() => void)[] = []
  readonly #released = Promise.withResolvers<never>()
  readonly #died = Promise.withResolvers<void>()
  #state: 'preparing' | 'alive' | 'dead' | 'released' = 'preparing'

  /** What a power failure would take; null: only the process dies, and the system keeps what it wrote. */
  readonly disk: Disk | null

  /** @param point null: it lives, and only counts */
  constructor(point: KillPoint | null, disk: Disk | null = null) {
    this.#point = point
    this.disk = disk
    this.#released.promise.catch(() => {})
  }

  /** The calls so far, by name. */
  get calls(): readonly string[] {
    return this.#names
  }

  get isDead(): boolean {
    return this.#state === 'dead' || this.#state === 'released'
  }

  /** From here on calls count. */
  arm(): void {
    this.#state = 'alive'
  }

  /** Resolves at the moment of death. */
  get died(): Promise<void> {
    return this.#died.promise
  }

  /** Where it died, for messages. */
  get place(): string {
    if (this.#point === null) return 'nowhere'
    if ('name' in this.#point) return `before ${this.#point.name}`
    const { call, when } = this.#point
    return `${when} call ${call}, ${this.#names[call - 1] ?? 'which was not reached'}`
  }

  /**
   * Makes one call, unless the process is dead, dies in front of it or just behind it.
   *
   * @param isLeaf true for a call that makes no further calls and ends by itself: death waits for its end, as the kernel
   * ends a system call that was begun
   */
  async call<Result>(name: string, effect: () => Promise<Result>, isLeaf = false): Promise<Result> {
    if (this.isDead) return this.never()
    const when = this.#state === 'alive' ? this.#whenToDie(name) : null
    if (when === 'before') return this.#die()
    const running = effect()
    if (isLeaf) this.#track(running)
    const result = await running.catch((error: unknown) => {
      if (this.isDead) return this.never()
      throw error
    })
    if (this.isDead) return this.never()
    return when === 'after' ? this.#die() : result
  }

  /** What a dead process waits for. */
  never(): Promise<never> {
    return this.#released.promise
  }

  /** Resolves when no system call of the dead process is under way any more. */
  async silent(): Promise<void> {
    await Promise.allSettled(this.#running)
  }

  /** When nobody looks any more: what hangs ends with {@link Killed}, so that open files are closed. */
  release(): void {
    this.#state = 'released'
    for (const close of this.#open) close()
    this.#released.reject(new Killed('This process was killed.'))
  }

  /** Closes what a call left open when nobody looks any more. */
  onRelease(close: () => void): void {
    this.#open.push(close)
  }

  get isReleased(): boolean {
    return this.#state === 'released'
  }

  #whenToDie(name: string): 'before' | 'after' | null {
    const call = this.#names.push(name)
    if (this.#point === null) return null
    if ('name' in this.#point) return this.#point.name === name ? 'before' : null
    return this.#point.call === call ? this.#point.when : null
  }

  #die(): Promise<never> {
    this.#state = 'dead'
    this.#died.resolve()
    return this.never()
  }

  #track(running: Promise<unknown>): void {
    const forget = (): void => void this.#running.delete(running)
    this.#running.add(running)
    running.then(forget, forget)
  }
}
