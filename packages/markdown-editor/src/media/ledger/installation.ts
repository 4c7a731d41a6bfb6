import { randomUUID } from 'node:crypto'
import { isQuillgateError } from '@quillgate/server/core'
import type { Storage } from '@quillgate/storage'
import type { LedgerDatabase } from './ledger-database.ts'

/** Key of the object that names the installation. It is outside the folders of media. */
export const MARKER_KEY = 'quillgate-installation.txt'

/** Why nothing may be deleted: the storage belongs to another database, or lost its marker. */
export type DeletionGuard = 'installation_mismatch'

/** Ties a database to a storage, so that no database deletes the files of another. */
export class Installation {
  readonly #database: LedgerDatabase
  readonly #storage: Pick<Storage, 'read' | 'write'>

  constructor(database: LedgerDatabase, storage: Pick<Storage, 'read' | 'write'>) {
    this.#database = database
    this.#storage = storage
  }

  /** Writes the id of a new installation and its marker; for an old one, compares them. */
  async prepare(): Promise<void> {
    await this.#insert('installation_id', randomUUID())
    const id = await this.id()
    if (id === null || (await this.#get('marker_written')) !== null) return
    // Recorded only if it is ours: a marker of another installation stays a mismatch.
    if (await writeMarker(this.#storage, id)) await this.#insert('marker_written', 'yes')
  }

  /** Returns the expected text of the marker in our storage; null before {@link prepare}. */
  id(): Promise<string | null> {
    return this.#get('installation_id')
  }

  /** Returns why nothing may be deleted, or null. Reads the database and the marker. */
  async deletionGuard(): Promise<DeletionGuard | null> {
    const [id, marker] = [await this.id(), await readMarker(this.#storage)]
    return id !== null && id === marker ? null : 'installation_mismatch'
  }

  /** Records that the references of all records are known. */
  async recordRebuild(at: number): Promise<void> {
    const [name, value] = ['last_rebuild', String(at)]
    await this.#insert(name, value)
    await this.#database.db
      .updateTable('mediaMeta')
      .set({ value })
      .where('name', '=', name)
      .execute()
  }

  /** Returns when `references.rebuild` last ended, in milliseconds; null: never. */
  async lastRebuild(): Promise<number | null> {
    const value = await this.#get('last_rebuild')
    return value === null ? null : Number(value)
  }

  async #get(name: string): Promise<string | null> {
    const select = this.#database.db
      .selectFrom('mediaMeta')
      .select('value')
      .where('name', '=', name)
    return (await select.executeTakeFirst())?.value ?? null
  }

  /** Writes a value unless there is one. */
  async #insert(name: string, value: string): Promise<void> {
    if ((await this.#get(name)) !== null) return
    const row = this.#database.db.insertInto('mediaMeta').values({ name, value })
    await row.onConflict((conflict) => conflict.doNothing()).execute()
  }
}

/** Returns the id of the installation that a storage belongs to; null without a marker. */
export async function readMarker(storage: Pick<Storage, 'read'>): Promise<string | null> {
  const stored = await storage.read(MARKER_KEY)
  return stored ? (await new Response(stored.body).text()).trim() : null
}

/**
 * Marks a storage as one of this installation. An existing marker stays. Returns whether the marker
 * is ours afterwards.
 */
export async function writeMarker(
  storage: Pick<Storage, 'read' | 'write'>,
  id: string,
): Promise<boolean> {
  try {
    await storage.write(MARKER_KEY, markerOf(id), { type: 'text/plain' })
  } catch (error) {
    // Another process wrote it at the same moment, or another installation long ago.
    if (!(isQuillgateError(error) && error.code === 'storage_conflict')) throw error
  }
  return (await readMarker(storage)) === id
}

async function* markerOf(id: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${id}\n`)
}
