import type { Draft, DraftField } from './draft.ts'

/** Where drafts are kept. */
export interface DraftStore {
  /** All drafts of a field. */
  list(field: DraftField): Promise<Draft[]>
  /**
   * Keeps a draft.
   *
   * @throws when there is no room or no storage
   */
  put(draft: Draft): Promise<void>
  /** Keeps a draft at once, for a page that may be gone the next moment; false when it could not. */
  putNow(draft: Draft): boolean
  remove(id: string): Promise<void>
}

/** The draft that one editor writes, from when it starts until it ends. */
export class DraftSession {
  readonly #store: DraftStore
  readonly #field: DraftField
  readonly #maxAge: number
  readonly #now: () => number
  #id = createId()
  #base: string
  #kept: Draft | null = null
  #written = false
  #sent: Pick<Draft, 'text' | 'sent'> | null = null
  #stopped = false

  /**
   * @param base the text of the server that is now in the field
   * @param maxAge how long a draft is kept after its last change, in milliseconds
   */
  constructor(
    store: DraftStore,
    field: DraftField,
    base: string,
    maxAge: number,
    now: () => number = Date.now,
  ) {
    this.#store = store
    this.#field = field
    this.#maxAge = maxAge
    this.#base = base
    this.#now = now
  }

  get id(): string {
    return this.#id
  }

  /**
   * Keeps a text, or nothing when it is the server's.
   *
   * @returns when it was last changed; null when there is nothing to keep
   * @throws when there is no room or no storage
   */
  async save(text: string): Promise<number | null> {
    const draft = this.#draft(text)
    if (draft === null) {
      if (this.#written) await this.#forget()
      return null
    }
    if (draft === this.#kept) return draft.time
    this.#written = true
    await this.#store.put(draft)
    if (this.#stopped) await this.#store.remove(draft.id)
    else if (this.#id === draft.id) this.#kept = draft
    return draft.time
  }

  /** Keeps a text at once. */
  saveNow(text: string): boolean {
    const draft = this.#draft(text)
    if (draft === null || draft === this.#kept) return true
    this.#written = true
    return this.#store.putNow(draft)
  }

  /** A form is being sent with this text: it stays a draft until the server is known to have it. */
  markSent(text: string, sent: number): void {
    this.#sent = { text, sent }
    this.saveNow(text)
  }

  /** When the form was sent with this text; null when it was not. */
  sentAt(text: string): number | null {
    return this.#sent?.text === text ? this.#sent.sent : null
  }

  /**
   * Continues a draft whose text is in the field. The draft is removed once its text is saved in
   * this session.
   *
   * @param base the text of the server that it is based on
   */
  async take(draft: Draft, text: string, base: string): Promise<void> {
    this.#base = base
    await this.save(text)
    await this.#store.remove(draft.id)
  }

  /** Leaves what was kept so far as a draft of its own, to be offered the next time: what follows does not replace it. */
  leave(): void {
    this.#id = createId()
    this.#kept = null
    this.#written = false
  }

  /** The server has this text: nothing of it needs to be kept. */
  async settle(text: string): Promise<void> {
    this.#base = text
    await this.#forget()
  }

  /** True when nothing is kept any more. */
  get stopped(): boolean {
    return this.#stopped
  }

  /** Keeps nothing any more. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.#forget()
  }

  async #forget(): Promise<void> {
    this.#kept = null
    this.#written = false
    await this.#store.remove(this.#id)
  }

  #draft(text: string): Draft | null {
    if (this.#stopped || text === this.#base || text.trim() === '') return null
    const sent = this.sentAt(text)
    const base = this.#base
    const kept = this.#kept
    if (kept !== null && kept.text === text && kept.base === base && kept.sent === sent) return kept
    const time = this.#now()
    return { ...this.#field, id: this.#id, time, expires: time + this.#maxAge, text, base, sent }
  }
}

/** Creates a unique id. `crypto.randomUUID` exists only on https. */
function createId(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join(
    '',
  )
}
