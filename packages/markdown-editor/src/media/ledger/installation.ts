import { randomUUID } from 'node:crypto'
import type { Storage } from '@quillgate/storage'
import { readMarker, writeMarker } from './installation-marker.ts'
import type { LedgerDatabase } from './ledger-database.ts'

/** Why nothing may be deleted now. */
export type DeletionGuard =
  /**
   * The application had records before; their references are not known until `references.rebuild`
   * has run.
   */
  | 'references_unknown'
  /** The storage belongs to another database, or lost its marker. */
  | 'installation_mismatch'

/** Ties a database to a storage, so that no database deletes the files of another. */
export interface Installation {
  /**
   * Writes the id of a new installation and its marker; for an old one, compares them. A mismatch
   * does not reject.
   */
  prepare(): Promise<void>
  /** The expected text of the marker in our storage; null before {@link prepare}. */
  id(): Promise<string | null>
  /** Why nothing may be deleted; null when deleting is fine. Reads the database and the marker. */
  deletionGuard(): Promise<DeletionGuard | null>
  /** Remembers that the references of all records are known. */
  recordRebuild(at: number): Promise<void>
  /** When `references.rebuild` last ended, in milliseconds; null: never. */
  lastRebuild(): Promise<number | null>
  /**
   * Since when the application is known to reference its media, in milliseconds; null: it is not.
   */
  trackedSince(): Promise<number | null>
}

/** The collaborators of {@link createInstallation}. */
export interface InstallationOptions {
  readonly database: LedgerDatabase
  readonly storage: Pick<Storage, 'read' | 'write'>
  /** True: the application had records before; see {@link DeletionGuard}. */
  readonly existingRecords: boolean
  /** True when the application is known to reference its media. */
  readonly tracksReferences: boolean
  readonly clock: () => number
}

/** Makes the guard of one database and one storage. */
export function createInstallation(options: InstallationOptions): Installation {
  const { database, storage, existingRecords, tracksReferences, clock } = options
  const meta = createMeta(database)
  const timeOf = async (name: string): Promise<number | null> => {
    const value = await meta.get(name)
    return value === null ? null : Number(value)
  }

  return {
    async prepare() {
      await meta.insert('installation_id', randomUUID())
      if (existingRecords) await meta.insert('existing_records', 'unknown')
      if (tracksReferences) await meta.insert('tracked_since', String(clock()))
      const id = await meta.get('installation_id')
      if (id === null || (await meta.get('marker_written')) !== null) return
      await writeMarker(storage, id)
      // Written down only when it is ours: a marker of another installation stays a mismatch.
      if ((await readMarker(storage)) === id) await meta.insert('marker_written', 'yes')
    },

    id: () => meta.get('installation_id'),

    async deletionGuard() {
      if ((await meta.get('existing_records')) === 'unknown') return 'references_unknown'
      const [id, marker] = [await meta.get('installation_id'), await readMarker(storage)]
      return id !== null && id === marker ? null : 'installation_mismatch'
    },

    async recordRebuild(at) {
      await meta.set('last_rebuild', String(at))
      await meta.set('existing_records', 'known')
    },

    lastRebuild: () => timeOf('last_rebuild'),
    trackedSince: () => timeOf('tracked_since'),
  }
}

interface Meta {
  get(name: string): Promise<string | null>
  /** Writes a value that is not there yet; one that is there stays. */
  insert(name: string, value: string): Promise<void>
  set(name: string, value: string): Promise<void>
}

function createMeta({ executor, tables }: LedgerDatabase): Meta {
  const db = tables.on(executor)
  const get = async (name: string): Promise<string | null> => {
    const select = db.selectFrom('mediaMeta').select('value').where('name', '=', name)
    return (await select.executeTakeFirst())?.value ?? null
  }
  const insert = async (name: string, value: string): Promise<void> => {
    if ((await get(name)) !== null) return
    const row = db.insertInto('mediaMeta').values({ name, value })
    await row.onConflict((conflict) => conflict.doNothing()).execute()
  }
  return {
    get,
    insert,
    async set(name, value) {
      await insert(name, value)
      await db.updateTable('mediaMeta').set({ value }).where('name', '=', name).execute()
    },
  }
}
