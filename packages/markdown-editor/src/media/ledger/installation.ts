import { randomUUID } from 'node:crypto'
import { isQuillgateError } from '@quillgate/server/core'
import type { Storage } from '@quillgate/storage'
import type { LedgerDatabase } from './ledger-database.ts'

/** The storage key of the marker, an object that contains the id of the installation. */
const MARKER_KEY = 'quillgate-installation.txt'

/** The reason why no file may be deleted: the marker is missing or belongs to another database. */
export type DeletionGuard = 'installation_mismatch'

/** Binds a database to a storage with a marker, so that no database deletes another one's files. */
export class Installation {
  readonly #database: LedgerDatabase
  readonly #storage: Pick<Storage, 'read' | 'write'>

  constructor(database: LedgerDatabase, storage: Pick<Storage, 'read' | 'write'>) {
    this.#database = database
    this.#storage = storage
  }

  /** Creates the id and the marker of a new installation. */
  async prepare(): Promise<void> {
    await this.#insert('installation_id', randomUUID())
    const id = await this.#get('installation_id')
    if (id === null || (await this.#get('marker_written')) !== null) return
    await this.#writeMarker(id)
    // After this insert, no start writes the marker, so that `deletionGuard` reports a lost marker.
    if ((await this.deletionGuard()) === null) await this.#insert('marker_written', 'yes')
  }

  /** Null means that files may be deleted. */
  async deletionGuard(): Promise<DeletionGuard | null> {
    const id = await this.#get('installation_id')
    const stored = await this.#storage.read(MARKER_KEY)
    const marker = stored && (await new Response(stored.body).text()).trim()
    return id !== null && id === marker ? null : 'installation_mismatch'
  }

  async recordRebuild(at: number): Promise<void> {
    const [name, value] = ['last_rebuild', String(at)]
    await this.#insert(name, value)
    const update = this.#database.db.updateTable('mediaMeta').set({ value })
    await update.where('name', '=', name).execute()
  }

  /** Returns the time of the last complete `references.rebuild` in milliseconds, or null. */
  async lastRebuild(): Promise<number | null> {
    const value = await this.#get('last_rebuild')
    return value === null ? null : Number(value)
  }

  async #writeMarker(id: string): Promise<void> {
    try {
      const body = ReadableStream.from([Buffer.from(`${id}\n`)])
      await this.#storage.write(MARKER_KEY, body, { type: 'text/plain' })
    } catch (error) {
      // Another process or another installation has already written the marker.
      if (!(isQuillgateError(error) && error.code === 'storage_conflict')) throw error
    }
  }

  async #get(name: string): Promise<string | null> {
    const select = this.#database.db
      .selectFrom('mediaMeta')
      .select('value')
      .where('name', '=', name)
    return (await select.executeTakeFirst())?.value ?? null
  }

  async #insert(name: string, value: string): Promise<void> {
    if ((await this.#get(name)) !== null) return
    const row = this.#database.db.insertInto('mediaMeta').values({ name, value })
    await row.onConflict((conflict) => conflict.doNothing()).execute()
  }
}
