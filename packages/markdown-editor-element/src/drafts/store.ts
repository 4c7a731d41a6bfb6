import { type DBSchema, type IDBPDatabase, type IDBPTransaction, openDB } from 'idb'
import {
  type Draft,
  type DraftField,
  forgetNote,
  readDraft,
  readNotes,
  writeNote,
} from './draft.ts'
import type { DraftStore } from './session.ts'

/** A request to remove the drafts of a user; null means all users. */
interface Clearing {
  readonly user: string | null
  readonly time: number
}

// Outside the prefix of drafts.
const KEY = 'md-editor:drafts-cleared'

/** Records that drafts must be removed, because a page that signs out may be unloaded first. */
export function noteClearing(clearing: Clearing): void {
  try {
    const other = readClearing()
    const user = other === null || other.user === clearing.user ? clearing.user : null
    localStorage.setItem(KEY, JSON.stringify({ ...clearing, user }))
  } catch {
    // There is no storage.
  }
}

function readClearing(): Clearing | null {
  try {
    const { user, time } = JSON.parse(localStorage.getItem(KEY) ?? 'null') ?? {}
    return typeof time === 'number' && (typeof user === 'string' || user === null)
      ? { user, time }
      : null
  } catch {
    return null
  }
}

function finishClearing({ time }: Clearing): void {
  try {
    if ((readClearing()?.time ?? time) <= time) localStorage.removeItem(KEY)
  } catch {
    // There is no storage.
  }
}

/** True if a sign-out cleared a draft. A time in the future means that the clock was set back. */
function isCleared(draft: Pick<Draft, 'user' | 'time'>, { user, time }: Clearing): boolean {
  return (draft.time <= time || draft.time > Date.now()) && (user === null || user === draft.user)
}

interface Schema extends DBSchema {
  drafts: {
    key: string
    value: Draft
    indexes: { field: [string, string]; expires: number; user: string }
  }
}

// The maximum number of drafts per field, against a page that floods the storage.
const MOST = 50

type Database = IDBPDatabase<Schema>

/**
 * The drafts in IndexedDB. A page that ends writes notes to `localStorage` instead, which is
 * synchronous. The next page moves them.
 */
export class BrowserStore implements DraftStore {
  #opening: Promise<Database> | null = null

  async list({ key, user }: DraftField): Promise<Draft[]> {
    const now = Date.now()
    const clearing = readClearing()
    if (clearing !== null) await this.clear(clearing)
    const found = new Map<string, Draft>()
    const stored = await this.#try((database) =>
      database.getAllFromIndex('drafts', 'field', [key, user]),
    )
    for (const value of stored ?? []) {
      const draft = readDraft(value, now)
      if (draft !== null && !(clearing && isCleared(value, clearing))) found.set(draft.id, draft)
    }
    const notes = readNotes(now).filter((note) => note.key === key && note.user === user)
    for (const note of newest(notes)) {
      const other = found.get(note.id)
      if (other === undefined || other.time <= note.time) found.set(note.id, note)
      await this.put(note).catch(() => {}) // It stays a note.
    }
    return newest([...found.values()])
  }

  async put(draft: Draft): Promise<void> {
    if (readDraft(draft, draft.time) === null)
      throw new RangeError('It is too large to be read again.')
    try {
      const database = await this.#open()
      const { store, done } = change(database)
      const [present] = await Promise.all([store.get(draft.id), store.put(draft)])
      // The note of another tab may have been newer.
      if (present !== undefined && present.time > draft.time) await store.put(present)
      await done
      forgetNote(draft.id, draft.time)
    } catch (error) {
      if (!writeNote(draft)) throw error
    }
  }

  putNow(draft: Draft): boolean {
    return writeNote(draft)
  }

  async remove(id: string): Promise<void> {
    forgetNote(id)
    await this.#try((database) => database.delete('drafts', id))
  }

  /** Removes the drafts of a key that were sent with a form at a time. */
  async removeSent(key: string, time: number): Promise<void> {
    const isOurs = (draft: Draft): boolean =>
      draft.key === key && draft.sent !== null && Math.abs(draft.sent - time) < 1000
    const noted = readNotes(Date.now()).filter(isOurs)
    for (const { id } of noted) await this.remove(id)
    await this.#try(async (database) => {
      const { store, done } = change(database)
      const range = IDBKeyRange.bound([key], [key, []])
      for (
        let cursor = await store.index('field').openCursor(range);
        cursor;
        cursor = await cursor.continue()
      ) {
        if (isOurs(cursor.value)) await cursor.delete()
      }
      await done
    })
  }

  /** Removes expired drafts, and the drafts of other users; `''` means that the user is unknown. */
  async sweep(user: string): Promise<void> {
    const now = Date.now()
    for (const note of readNotes(now)) {
      if (note.expires < now || (user !== '' && note.user !== user)) forgetNote(note.id)
    }
    await this.#try(async (database) => {
      const { store, done } = change(database)
      const old = await store.index('expires').getAllKeys(IDBKeyRange.upperBound(now, true))
      const others =
        user === '' ? [] : [IDBKeyRange.upperBound(user, true), IDBKeyRange.lowerBound(user, true)]
      const foreign = await Promise.all(
        others.map((range) => store.index('user').getAllKeys(range)),
      )
      await Promise.all([...old, ...foreign.flat()].map((id) => store.delete(id)))
      await done
    })
  }

  async clear(clearing: Clearing): Promise<void> {
    for (const note of readNotes(Number.POSITIVE_INFINITY))
      if (isCleared(note, clearing)) forgetNote(note.id)
    const done = await this.#try(async (database) => {
      const { store, done } = change(database)
      const range = clearing.user === null ? null : IDBKeyRange.only(clearing.user)
      for (
        let cursor = await store.index('user').openCursor(range);
        cursor;
        cursor = await cursor.continue()
      ) {
        if (isCleared(cursor.value, clearing)) await cursor.delete()
      }
      await done
      return true
    })
    if (done) finishClearing(clearing)
  }

  /** Runs a function on the database. Returns undefined if there is no database. */
  async #try<Result>(run: (database: Database) => Promise<Result>): Promise<Result | undefined> {
    try {
      return await run(await this.#open())
    } catch {
      return undefined // As in a private window. Then only `localStorage` is used.
    }
  }

  #open(): Promise<Database> {
    if (this.#opening !== null) return this.#opening
    // If the database was closed, deleted or refused, the next call opens it again.
    const forget = (): void => {
      if (this.#opening === opening) this.#opening = null
    }
    const opening = openDB<Schema>('md-editor-drafts', 1, {
      upgrade(database) {
        const store = database.createObjectStore('drafts', { keyPath: 'id' })
        store.createIndex('field', ['key', 'user'])
        store.createIndex('expires', 'expires')
        store.createIndex('user', 'user')
      },
      blocking: (_, __, event) => {
        forget()
        ;(event.target as IDBDatabase).close()
      },
      terminated: forget,
    })
    this.#opening = opening
    opening.catch(forget)
    return opening
  }
}

function newest(drafts: readonly Draft[]): Draft[] {
  return drafts.toSorted((one, other) => other.time - one.time).slice(0, MOST)
}

function change(database: Database): IDBPTransaction<Schema, ['drafts'], 'readwrite'> {
  const transaction = database.transaction('drafts', 'readwrite')
  transaction.done.catch(() => {}) // The caller of the failed request gets the error.
  return transaction
}
