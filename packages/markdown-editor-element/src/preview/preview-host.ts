import type { EditorStrings } from '../i18n/strings.ts'
import { openChannel, type Post } from './channel.ts'
import type { PreviewScript } from './preview-script.ts'
import type { PreviewAnswer, PreviewRequest } from './protocol.ts'

/** A request was lost because another document's text took too long. It can be sent again. */
export class RestartedError extends Error {}

type Question = Exclude<PreviewRequest, { type: 'close' }>

interface Waiting {
  resolve(answer: PreviewAnswer): void
  reject(reason: unknown): void
  timer: ReturnType<typeof setTimeout>
}

// Milliseconds. Rendering takes less than a second on a small computer; loading may take longer.
const LIMITS: Readonly<Record<Question['type'] | 'loading', number>> = {
  open: 60_000,
  render: 10_000,
  loading: 60_000,
}

// The page's, as its Workers are: editors that know nothing of each other share them.
const hosts = new Map<string, PreviewHost>()

/** Renders the previews of a page that use the same script, with one Worker. */
export class PreviewHost {
  readonly #script: PreviewScript
  readonly #strings: EditorStrings
  readonly #waiting = new Map<number, Waiting>()
  #members = 0
  #ids = 0
  #life = new AbortController()
  #post: Promise<Post> | null = null

  /** The host of a script, made for its first member. Each member must {@link leave}. */
  static join(script: PreviewScript, strings: EditorStrings): PreviewHost {
    const host = hosts.get(script.name) ?? new PreviewHost(script, strings)
    hosts.set(script.name, host)
    host.#members++
    return host
  }

  private constructor(script: PreviewScript, strings: EditorStrings) {
    this.#script = script
    this.#strings = strings
  }

  /** Aborted when the Worker has been ended, and the documents in it are lost. */
  get signal(): AbortSignal {
    return this.#life.signal
  }

  /** An id for a document that no other has or had. */
  createId(): number {
    return ++this.#ids
  }

  /** Sends a request and waits for the answer. Throws errors with a message for the user. */
  async ask(request: Question): Promise<PreviewAnswer> {
    const { id } = request
    const answer = await new Promise<PreviewAnswer>((resolve, reject) => {
      const timer = this.#limit(id, request.type)
      this.#waiting.set(id, { resolve, reject, timer })
      this.#connect().then(
        (post) => post(request),
        (reason) => this.#take(id)?.reject(reason),
      )
    })
    if (answer.type === 'failed') throw new Error(answer.message)
    return answer
  }

  /** Closes a document, when there is one; with the last member the Worker ends. */
  leave(id: number | null): void {
    if (id !== null) {
      this.#take(id)?.reject(new DOMException('The preview was closed.', 'AbortError'))
      this.#post?.then(
        (post) => post({ type: 'close', id }),
        () => {},
      )
    }
    if (--this.#members > 0) return
    hosts.delete(this.#script.name)
    this.#life.abort()
  }

  async #connect(): Promise<Post> {
    const opening =
      this.#post ?? openChannel(this.#script, (answer) => this.#hear(answer), this.signal)
    this.#post = opening
    try {
      return await opening
    } catch (error) {
      if (this.#post === opening) this.#post = null
      throw error
    }
  }

  #limit(id: number, work: keyof typeof LIMITS): ReturnType<typeof setTimeout> {
    return setTimeout(() => this.#restart(id), LIMITS[work])
  }

  #hear(answer: PreviewAnswer): void {
    const { type, id } = answer
    const waiting = this.#waiting.get(id)
    if (type !== 'loading') this.#take(id)?.resolve(answer)
    else if (waiting !== undefined) {
      clearTimeout(waiting.timer)
      waiting.timer = this.#limit(id, type)
    }
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id)
    clearTimeout(waiting?.timer)
    this.#waiting.delete(id)
    return waiting
  }

  // The Worker renders in order, so the first text that waited too long holds it up.
  #restart(guilty: number): void {
    this.#life.abort()
    this.#life = new AbortController()
    this.#post = null
    for (const id of [...this.#waiting.keys()]) {
      const reason = id === guilty ? new Error(this.#strings.previewTooSlow) : new RestartedError()
      this.#take(id)?.reject(reason)
    }
  }
}
