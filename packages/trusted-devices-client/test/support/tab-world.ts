import { setImmediate as turn } from 'node:timers/promises'
import type {
  TokenChannel,
  TokenLocks,
  TokenStorage,
} from '@quillgate/trusted-devices-client/token-client'

/** A computer with several tabs and its own clock. Time passes only when all other work is done. */
export class TabWorld {
  /** Milliseconds since the start. */
  now = 0
  readonly storage: TokenStorage & { readonly values: Map<string, string> }
  /** The number of requests that a server is currently handling. */
  busy = 0
  readonly #timers: Timer[] = []
  readonly #asleepUntil = new Map<number, number>()
  readonly #queues = new Map<string, Waiting[]>()
  readonly #channels = new Set<FakeChannel>()
  #count = 0
  #seed: number
  /** Called with the elapsed milliseconds when time passes. */
  readonly #onTime: (milliseconds: number) => void

  constructor(seed: number, onTime: (milliseconds: number) => void) {
    this.#seed = seed
    this.#onTime = onTime
    const values = new Map<string, string>()
    this.storage = {
      values,
      getItem: (key) => values.get(key) ?? null,
      setItem: (key, value) => {
        values.set(key, value)
      },
      removeItem: (key) => {
        values.delete(key)
      },
    }
  }

  /** Returns the next random number from 0 to 1 (mulberry32). */
  random(): number {
    this.#seed = (this.#seed + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#seed ^ (this.#seed >>> 15), 1 | this.#seed)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** Runs a function later. A function of a tab that is asleep waits until the tab wakes. */
  later(milliseconds: number, tab: number | null, run: () => void): () => void {
    const timer = { at: this.now + milliseconds, order: this.#count++, tab, run }
    this.#timers.push(timer)
    return () => {
      const index = this.#timers.indexOf(timer)
      if (index >= 0) this.#timers.splice(index, 1)
    }
  }

  wait(tab: number, milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const cancel = this.later(milliseconds, tab, resolve)
      signal?.addEventListener('abort', () => {
        cancel()
        resolve()
      })
    })
  }

  sleep(tab: number, milliseconds: number): void {
    this.#asleepUntil.set(tab, Math.max(this.#asleepUntil.get(tab) ?? 0, this.now + milliseconds))
  }

  /** Runs events until `done` returns true. Throws an error if no event is left. */
  async run(done: () => boolean): Promise<void> {
    for (;;) {
      await this.#settle()
      if (done()) return
      const timer = this.#next()
      if (!timer) throw new Error('Nothing is left to do, and it is not done.')
      this.#pass(timer.at - this.now)
      timer.run()
    }
  }

  async pass(milliseconds: number): Promise<void> {
    const end = this.now + milliseconds
    const reached = { yes: false }
    this.later(milliseconds, null, () => {
      reached.yes = true
    })
    await this.run(() => reached.yes)
    this.#pass(end - this.now)
  }

  locks(tab: number): TokenLocks {
    return {
      request: (name, { signal }, work) =>
        new Promise((resolve, reject) => {
          const queue = this.#queues.get(name) ?? []
          this.#queues.set(name, queue)
          const entry: Waiting = {
            tab,
            granted: false,
            start: () => {
              const leave = (): void => {
                queue.splice(queue.indexOf(entry), 1)
                this.#grant(queue)
              }
              work().finally(leave).then(resolve, reject)
            },
          }
          signal.addEventListener('abort', () => {
            if (entry.granted) return
            queue.splice(queue.indexOf(entry), 1)
            reject(signal.reason)
          })
          queue.push(entry)
          this.#grant(queue)
        }),
    }
  }

  channel(tab: number): TokenChannel {
    const channel = new FakeChannel(tab, (from, data) => {
      for (const other of this.#channels) {
        if (other === from) continue
        this.later(this.random() * 20, other.tab, () =>
          other.onmessage?.(new MessageEvent('message', { data })),
        )
      }
    })
    this.#channels.add(channel)
    return channel
  }

  #grant(queue: Waiting[]): void {
    const first = queue[0]
    if (!first || first.granted) return
    first.granted = true
    this.later(this.random() * 5, first.tab, first.start)
  }

  async #settle(): Promise<void> {
    do {
      for (let round = 0; round < 3; round++) await turn()
    } while (this.busy > 0)
  }

  #next(): Timer | null {
    for (;;) {
      let first: Timer | undefined
      for (const timer of this.#timers) {
        if (!first || timer.at < first.at || (timer.at === first.at && timer.order < first.order))
          first = timer
      }
      if (!first) return null
      const wakes = first.tab === null ? 0 : (this.#asleepUntil.get(first.tab) ?? 0)
      if (wakes <= first.at) {
        this.#timers.splice(this.#timers.indexOf(first), 1)
        return first
      }
      first.at = wakes
    }
  }

  #pass(milliseconds: number): void {
    if (milliseconds <= 0) return
    this.now += milliseconds
    this.#onTime(milliseconds)
  }
}

interface Timer {
  at: number
  readonly order: number
  readonly tab: number | null
  readonly run: () => void
}

interface Waiting {
  readonly tab: number
  granted: boolean
  readonly start: () => void
}

class FakeChannel implements TokenChannel {
  onmessage: ((event: MessageEvent) => void) | null = null
  readonly tab: number
  readonly #send: (from: FakeChannel, data: unknown) => void

  constructor(tab: number, send: (from: FakeChannel, data: unknown) => void) {
    this.tab = tab
    this.#send = send
  }

  postMessage(message: unknown): void {
    this.#send(this, structuredClone(message))
  }

  close(): void {
    this.onmessage = null
  }
}
