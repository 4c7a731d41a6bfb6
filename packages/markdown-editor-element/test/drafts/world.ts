import { type Draft, type DraftField, isSame, type Opening } from '../../src/drafts/draft.ts'
import { openField } from '../../src/drafts/drafts.ts'
import { DraftSession, type DraftStore } from '../../src/drafts/session.ts'

const KEY = 'post/1/body'
const MAX_AGE = 86_400_000

/** A storage in memory that may be full. */
export class MemoryStore implements DraftStore {
  readonly drafts = new Map<string, Draft>()
  full = false

  async list({ key, user }: DraftField): Promise<Draft[]> {
    return [...this.drafts.values()].filter((draft) => draft.key === key && draft.user === user)
  }

  async put(draft: Draft): Promise<void> {
    if (!this.putNow(draft)) throw new Error('full')
  }

  putNow(draft: Draft): boolean {
    if (!this.full) this.drafts.set(draft.id, draft)
    return !this.full
  }

  async remove(id: string): Promise<void> {
    this.drafts.delete(id)
  }

  toggleFull(): void {
    this.full = !this.full
  }

  removeWhere(matches: (draft: Draft) => boolean): void {
    for (const draft of this.drafts.values()) if (matches(draft)) this.drafts.delete(draft.id)
  }
}

/** A tab with the form in it. */
export interface Tab {
  readonly user: string
  readonly served: string
  readonly session: DraftSession
  readonly offers: Draft[]
  text: string
  /** When the text was last changed. */
  changed: number
}

/** How the server answers a form. */
export type Answer =
  | 'saved elsewhere'
  | 'saved, form again'
  | 'refused, form again'
  | 'lost'
  | 'signed out'

/** A server with one text, a browser, and the users before it. */
export class World {
  readonly store: MemoryStore = new MemoryStore()
  readonly tabs: Tab[] = []
  /** Texts that the server has had. */
  readonly arrived = new Set<string>()
  /** Texts that the browser has kept and that must not be lost, with their owners. */
  readonly owed = new Map<string, string>()
  server = ''
  now = 1_000_000
  user = 'ada'
  #count = 0

  /** Opens the form, as the server or the browser fills it. */
  async open(page: Partial<Pick<Opening, 'served' | 'shown' | 'ordinary'>> = {}): Promise<Tab> {
    const { served = this.server, ordinary = true } = page
    const { shown = served } = page
    this.store.removeWhere((draft) => draft.user !== this.user || draft.expires < this.now)
    this.#forgive((_, owner) => owner !== this.user)
    const field = { key: KEY, user: this.user }
    const session = new DraftSession(this.store, field, served, MAX_AGE, () => this.now)
    const alive = new Set(this.tabs.map((tab) => tab.session.id))
    const opening: Opening = {
      ...{ ...field, served, shown, ordinary, alive },
      ...{ arrived: this.now, now: this.now, fields: [] },
    }
    const { offers } = await openField(this.store, session, await this.store.list(field), opening)
    const tab = {
      user: this.user,
      served,
      session,
      offers: [...offers],
      text: shown,
      changed: this.now,
    }
    this.tabs.push(tab)
    return tab
  }

  /** Types a text that nobody has typed before. */
  type(tab: Tab): void {
    this.#replace(tab, `text ${++this.#count} of ${tab.user}`)
  }

  /** The pause after typing. */
  async save(tab: Tab): Promise<void> {
    if (await tab.session.save(tab.text).then(Boolean, () => false)) this.owe(tab)
  }

  /** The page goes as pages do. */
  leave(tab: Tab): void {
    if (!this.store.full && tab.session.saveNow(tab.text)) this.owe(tab)
    this.end(tab)
  }

  /** The page is gone, without a word. */
  end(tab: Tab): void {
    this.tabs.splice(this.tabs.indexOf(tab), 1)
  }

  async reload(tab: Tab, putsBack: boolean): Promise<void> {
    this.leave(tab)
    if (tab.user === this.user)
      await this.open({ shown: putsBack ? tab.text : this.server, ordinary: false })
  }

  async submit(tab: Tab, answer: Answer): Promise<void> {
    tab.session.markSent(tab.text, this.now)
    if (!this.store.full) this.owe(tab)
    const saved = answer.startsWith('saved')
    if (saved) this.receive(tab.text)
    this.wait(30)
    this.leave(tab)
    if (tab.user !== this.user || !answer.endsWith('form again')) return
    await this.open({ served: saved ? this.server : tab.text, ordinary: false })
  }

  /** The server takes a text, without the white space around it. */
  receive(text: string): void {
    this.server = text.trim()
    this.arrived.add(text)
    this.owed.delete(text)
  }

  async restore(tab: Tab): Promise<void> {
    const draft = tab.offers.shift()
    if (draft === undefined) return
    if (!isSame(tab.text, draft.base)) return this.merge(tab, draft)
    this.#replace(tab, draft.text)
    await tab.session.take(draft, tab.text, draft.base).catch(() => {})
  }

  /** The user has looked at both, and takes a text that has both. */
  async merge(tab: Tab, draft: Draft): Promise<void> {
    this.#replace(tab, `${tab.text}\n${draft.text}`)
    this.owed.delete(draft.text)
    await tab.session.take(draft, tab.text, tab.served).catch(() => {})
  }

  async discard(tab: Tab): Promise<void> {
    const draft = tab.offers.shift()
    if (draft === undefined) return
    await this.store.remove(draft.id)
    this.owed.delete(draft.text)
  }

  /** Clears the drafts of the user; the tabs stay open, as they do. */
  async signOut(next: string): Promise<void> {
    for (const tab of this.tabs) await tab.session.stop()
    this.store.removeWhere(() => true)
    this.owed.clear()
    this.user = next
  }

  /** Somebody else signs in, though nobody has signed out. */
  changeUser(): void {
    this.user = this.user === 'ada' ? 'eve' : 'ada'
  }

  wait(time: number): void {
    this.now += time
    for (const { text, expires } of this.store.drafts.values()) {
      if (expires < this.now) this.owed.delete(text)
    }
  }

  owe(tab: Tab): void {
    const { text, served, session, user, changed } = tab
    if (user !== this.user || this.now - changed > MAX_AGE) return
    if (session.stopped || text.trim() === '' || text === served || this.arrived.has(text)) return
    this.owed.set(text, user)
  }

  /** What a user writes over is theirs to lose, unless it is still elsewhere. */
  #replace(tab: Tab, text: string): void {
    if (!this.tabs.some((other) => other !== tab && other.text === tab.text))
      this.owed.delete(tab.text)
    tab.text = text
    tab.changed = this.now
  }

  #forgive(matches: (text: string, owner: string) => boolean): void {
    for (const [text, owner] of this.owed) if (matches(text, owner)) this.owed.delete(text)
  }
}
