import { LRUCache } from 'lru-cache'

/** How {@link createLookups} works. */
export interface LookupOptions<Answer> {
  /** Seconds that a question may take. */
  readonly timeout: number
  /** Seconds for which the answer about an address counts, also that nothing is known of it. */
  readonly ttl: number
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  /** The result if there is no answer. */
  readonly unknown: Answer
  /** Called for each lookup that failed. */
  readonly onError: (error: unknown) => void
}

/** Lookups at a service that may be slow, cost money, or be down. */
export interface Lookups<Answer> {
  /**
   * Asks, unless the answer is cached or the same question is pending. Never rejects.
   *
   * @param address null: the answer is not cached
   * @param ask its signal is aborted after the time limit
   */
  find(address: string | null, ask: (signal: AbortSignal) => Promise<Answer>): Promise<Answer>
}

const KEPT_ANSWERS = 10_000
const OPEN_QUESTIONS = 32 // The limit for a provider that hangs. Further logins do not wait.
const LONGEST_QUESTION = 30_000 // Milliseconds after which a question that never ends makes room for another one.

/**
 * Keeps answers for a moment, ends what takes too long, and asks only so many questions at once.
 */
export function createLookups<Answer>(options: LookupOptions<Answer>): Lookups<Answer> {
  const { timeout, ttl, clock, unknown, onError } = options
  const answers = new LRUCache<string, { readonly answer: Promise<Answer>; readonly at: number }>({
    max: KEPT_ANSWERS,
  })
  const open = createOpenQuestions(onError)

  async function put(ask: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
    const controller = new AbortController()
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      const error = new Error(`The location was not found within ${timeout} s.`)
      late.reject(error)
      controller.abort(error)
    }, timeout * 1000)
    try {
      const asked = Promise.resolve().then(() => ask(controller.signal))
      open.add(asked)
      return await Promise.race([asked, late.promise])
    } catch (error) {
      onError(error)
      return unknown
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    async find(address, ask) {
      const kept = address === null ? undefined : answers.get(address)
      if (kept && Math.abs(clock() - kept.at) < ttl * 1000) return kept.answer
      if (!open.hasRoom()) return unknown
      const answer = put(ask)
      if (address !== null) answers.set(address, { answer, at: clock() })
      return answer
    },
  }
}

/** Counts the questions that have no end yet, whether or not anybody still waits. */
function createOpenQuestions(onError: (error: unknown) => void) {
  const open = new Set<object>()
  let wasFull = false // Told once, not at every login.
  return {
    hasRoom(): boolean {
      const isFull = open.size >= OPEN_QUESTIONS
      if (isFull && !wasFull)
        onError(new Error(`${open.size} lookups of locations have no end: no more are begun.`))
      wasFull = isFull
      return !isFull
    },
    add(question: Promise<unknown>): void {
      open.add(question)
      const timer = setTimeout(() => open.delete(question), LONGEST_QUESTION).unref()
      const end = (): void => {
        open.delete(question)
        clearTimeout(timer)
      }
      question.then(end, end)
    },
  }
}
