import { type Draft, type DraftField, type DraftValue, hasSameFields } from './draft.ts'
import type { FormFields } from './form-fields.ts'

/** The storage of drafts. */
export interface DraftStore {
  list(field: DraftField): Promise<Draft[]>
  /** Saves a draft. Throws if there is no room or no storage. */
  put(draft: Draft): Promise<void>
  /** Saves a draft synchronously, before the page is unloaded. Returns false on failure. */
  putNow(draft: Draft): boolean
  remove(id: string): Promise<void>
}

/** The draft of one editor. */
export class DraftSession {
  readonly #store: DraftStore
  readonly #field: DraftField
  readonly #maxAge: number
  readonly #now: () => number
  readonly #fields: Pick<FormFields, 'read' | 'settle'> | null
  #id = createId()
  #base: string
  #kept: Draft | null = null
  #written = false
  #sent: Pick<Draft, 'text' | 'fields' | 'sent'> | null = null
  #stopped = false

  /** @param maxAge how long a draft is kept after its last change, in milliseconds */
  constructor(
    store: DraftStore,
    field: DraftField,
    base: string,
    maxAge: number,
    now: () => number = Date.now,
    fields: Pick<FormFields, 'read' | 'settle'> | null = null,
  ) {
    this.#store = store
    this.#field = field
    this.#maxAge = maxAge
    this.#base = base
    this.#now = now
    this.#fields = fields
  }

  get id(): string {
    return this.#id
  }

  /** Saves a text and returns when it was last changed; null if it is the server's text. */
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

  saveNow(text: string): boolean {
    const draft = this.#draft(text)
    if (draft === null || draft === this.#kept) return true
    this.#written = true
    return this.#store.putNow(draft)
  }

  /** Notes that a form is sent with this text. The draft stays until the server has it. */
  markSent(text: string, sent: number): void {
    this.#sent = { text, fields: this.#changedFields, sent }
    this.saveNow(text)
  }

  sentAt(text: string): number | null {
    const sent = this.#sent
    const fields = this.#changedFields
    return sent?.text === text && hasSameFields(sent, { fields }) ? sent.sent : null
  }

  /** Continues a draft that is in the field, and removes it once the text is saved here. */
  async take(draft: Draft, text: string, base: string): Promise<void> {
    this.#base = base
    await this.save(text)
    await this.#store.remove(draft.id)
  }

  /** Keeps the saved draft to offer it later, and continues with a new one. */
  leave(): void {
    this.#id = createId()
    this.#kept = null
    this.#written = false
  }

  /** Removes the draft because the server has this text. */
  async settle(text: string): Promise<void> {
    this.#base = text
    this.#fields?.settle()
    await this.#forget()
  }

  get stopped(): boolean {
    return this.#stopped
  }

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
    const fields = this.#changedFields
    const isEmpty = text === this.#base || text.trim() === ''
    if (this.#stopped || (isEmpty && fields.every(({ value }) => value.trim() === ''))) return null
    const sent = this.sentAt(text)
    const base = this.#base
    const kept = this.#kept
    const isKept = kept?.text === text && kept.base === base && kept.sent === sent
    if (isKept && hasSameFields(kept, { fields })) return kept
    const time = this.#now()
    const expires = time + this.#maxAge
    return { ...this.#field, id: this.#id, time, expires, text, base, fields, sent }
  }

  get #changedFields(): readonly DraftValue[] {
    return this.#fields?.read().filter(({ value, base }) => value !== base) ?? []
  }
}

/** Creates a unique id. `crypto.randomUUID` exists only on https. */
function createId(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join(
    '',
  )
}
