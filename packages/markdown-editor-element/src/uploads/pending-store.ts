import { type DBSchema, type IDBPDatabase, openDB } from 'idb'

/** What tells the files of one field and user from those of others: the attributes `draft` and `draft-user`. */
export interface PendingField {
  readonly key: string
  readonly user: string
}

interface PendingFile extends PendingField {
  readonly placeholder: string
  readonly file: File
  /** When it was stored, in milliseconds since the epoch. */
  readonly time: number
}

interface Schema extends DBSchema {
  files: {
    key: [string, string, string]
    value: PendingFile
    indexes: { user: string; time: number }
  }
}

/** The files of this browser that are on their way, by the placeholders that stand for them in drafts. */
export class PendingStore {
  readonly #field: PendingField

  constructor(field: PendingField) {
    this.#field = field
  }

  async put(placeholder: string, file: File): Promise<void> {
    await withDatabase((database) =>
      database.put('files', { ...this.#field, placeholder, file, time: Date.now() }),
    )
  }

  /** The file that a placeholder stands for; null when there is none. */
  async get(placeholder: string): Promise<File | null> {
    const stored = await withDatabase((database) => database.get('files', this.#keyOf(placeholder)))
    return stored?.file instanceof File ? stored.file : null
  }

  async delete(placeholder: string): Promise<void> {
    await withDatabase((database) => database.delete('files', this.#keyOf(placeholder)))
  }

  #keyOf(placeholder: string): [string, string, string] {
    return [this.#field.user, this.#field.key, placeholder]
  }
}

/**
 * Forgets the files of a user that were on their way, as when the user signs out.
 *
 * @param user as in the attribute `draft-user`; null: the files of everybody
 */
export async function forgetPending(user: string | null): Promise<void> {
  await withDatabase(async (database) => {
    if (user === null) return database.clear('files')
    const { store, done } = database.transaction('files', 'readwrite')
    for (const key of await store.index('user').getAllKeys(user)) await store.delete(key)
    await done
  })
}

/**
 * Forgets files that were stored before a time, in milliseconds since the epoch, and those of everybody but a user.
 *
 * @param user `''`: nobody knows who it is, and nobody's files are forgotten before their time
 */
export async function sweepPending(user: string, before: number): Promise<void> {
  await withDatabase(async (database) => {
    const { store, done } = database.transaction('files', 'readwrite')
    const others =
      user === '' ? [] : [IDBKeyRange.upperBound(user, true), IDBKeyRange.lowerBound(user, true)]
    const keys = await Promise.all([
      store.index('time').getAllKeys(IDBKeyRange.upperBound(before, true)),
      ...others.map((range) => store.index('user').getAllKeys(range)),
    ])
    await Promise.all(keys.flat().map((key) => store.delete(key)))
    await done
  })
}

/** Opens the database and closes it again: uploads are rare. Undefined where there is none, or no room in it. */
async function withDatabase<Result>(
  run: (database: IDBPDatabase<Schema>) => Promise<Result>,
): Promise<Result | undefined> {
  try {
    const database = await openDB<Schema>('md-editor-files', 1, {
      upgrade(created) {
        const store = created.createObjectStore('files', {
          keyPath: ['user', 'key', 'placeholder'],
        })
        store.createIndex('user', 'user')
        store.createIndex('time', 'time')
      },
    })
    try {
      return await run(database)
    } finally {
      database.close()
    }
  } catch {
    return undefined // As in a private window: then nothing is kept.
  }
}
