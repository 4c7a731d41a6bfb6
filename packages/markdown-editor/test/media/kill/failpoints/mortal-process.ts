import type { Disk } from './disk.ts'

/** The call at which a process dies. */
export type KillPoint =
  | {
      /** The number of the call, starting at 1. */
      readonly call: number
      /** Whether the call still takes effect. */
      readonly when: 'before' | 'after'
    }
  /** Dies before the first call of this name. */
  | { readonly name: string }

/** The error with which `release` rejects the pending calls of a dead process. */
export class Killed extends Error {}

/**
 * Simulates the death of a process at one of its calls, within a real process. After the death, no
 * call reaches the storage or the database, and no call returns.
 */
export class MortalProcess {
  readonly #point: KillPoint | null
  readonly #names: string[] = []
  readonly #running = new Set<Promise<unknown>>()
  readonly #open: (() => void)[] = []
  readonly #released = Promise.withResolvers<never>()
  readonly #died = Promise.withResolvers<void>()
  #state: 'preparing' | 'alive' | 'dead' | 'released' = 'preparing'

  /** The disk that loses data in a power failure. If null, only the process dies. */
  readonly disk: Disk | null

  /** @param point the call at which the process dies, or null to only record the calls */
  constructor(point: KillPoint | null, disk: Disk | null = null) {
    this.#point = point
    this.disk = disk
    this.#released.promise.catch(() => {})
  }

  get calls(): readonly string[] {
    return this.#names
  }

  get isDead(): boolean {
    return this.#state === 'dead' || this.#state === 'released'
  }

  /** Starts to count calls. */
  arm(): void {
    this.#state = 'alive'
  }

  get died(): Promise<void> {
    return this.#died.promise
  }

  get diedAt(): string {
    if (this.#point === null) return 'nowhere'
    if ('name' in this.#point) return `before ${this.#point.name}`
    const { call, when } = this.#point
    return `${when} call ${call}, ${this.#names[call - 1] ?? 'which was not reached'}`
  }

  /**
   * Makes one call. It never returns if the process is dead or dies before or after the call.
   *
   * @param isLeaf true for a call without further calls. `silent` waits for the end of such a
   * call, because the kernel completes a started system call
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

  /** Returns a promise that stays pending until `release`, for the calls of a dead process. */
  never(): Promise<never> {
    return this.#released.promise
  }

  /** Resolves when all system calls of the dead process have ended. */
  async silent(): Promise<void> {
    await Promise.allSettled(this.#running)
  }

  /** Rejects all pending calls with {@link Killed} at the end of a test, and closes open files. */
  release(): void {
    this.#state = 'released'
    for (const close of this.#open) close()
    this.#released.reject(new Killed('This process was killed.'))
  }

  /** Registers a function that `release` calls, to close what a call left open. */
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
