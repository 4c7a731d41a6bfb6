import { toNumber } from '@quillgate/server/database'
import type { UpdateQueryBuilder, UpdateResult } from 'kysely'
import {
  findMedia,
  type LedgerConnection,
  type LedgerDatabase,
  toMedium,
  writeLocked,
} from './ledger-database.ts'
import type { MediaState, Medium, NewMedium, UploadedFacts } from './medium.ts'
import {
  isReferenced,
  type Transition,
  transitionUnlessReferenced,
} from './reference-protection.ts'
import type { LedgerRows } from './schema.ts'
import { statement } from './statement.ts'

type Update = UpdateQueryBuilder<LedgerRows, 'media', 'media', UpdateResult>

/**
 * The result of `complete`. `exceeded` refers to the quota. `gone` means that the state is not
 * `uploading`.
 */
export type Completion = 'completed' | 'exceeded' | 'gone'

/** The rows of all files. A method that changes a state does nothing if the state is wrong. */
export class MediaLedger {
  readonly #database: LedgerDatabase

  constructor(database: LedgerDatabase) {
    this.#database = database
  }

  /** Returns the row in any state. Null means that there is no row. */
  async get(id: string): Promise<Medium | null> {
    const [row] = (await selectRow(this.#database, { id })).rows
    return row ? toMedium(row) : null
  }

  find(ids: Iterable<string>): Promise<Map<string, Medium>> {
    return findMedia(this.#database, ids)
  }

  /** Returns the total size of the owner's files that are not deleted, in bytes. */
  usage(owner: string): Promise<number> {
    return usageOf(this.#database, owner)
  }

  /** Adds a row in the state `uploading`, before the first byte of the file is stored. */
  async begin(medium: NewMedium): Promise<void> {
    // If a power failure undoes this insert, the sweep removes the object without a row.
    await insertRow(this.#database.relaxed, medium)
  }

  /**
   * Completes an upload (`uploading → temporary`) after its bytes are durable. The owner's files
   * together never exceed `limit` bytes, even if several processes complete uploads at once.
   */
  async complete(
    id: string,
    facts: UploadedFacts,
    at: number,
    limit: number | null = null,
  ): Promise<Completion> {
    if (limit === null) {
      const values = uploadedValues(id, facts, at)
      const { numAffectedRows } = await completeUpload(this.#database, values)
      return numAffectedRows ? 'completed' : 'gone'
    }
    const complete = (tx: LedgerConnection) => completeWithin(tx, limit, id, facts, at)
    for (;;) {
      const completion = await this.#database.transaction(complete)
      if (completion !== 'claimed') return completion
    }
  }

  /** Sets the permanent key (`temporary → promoting`), before the bytes are copied. */
  beginPromotion(id: string, key: string, at: number): Promise<boolean> {
    const promoting = { state: 'promoting', permanentKey: key, changedAt: at } as const
    return changed(this.#update(id, ['temporary']).set(promoting))
  }

  /** Completes a promotion (`promoting → permanent`), after the bytes are copied. */
  completePromotion(id: string, at: number): Promise<boolean> {
    return this.#database.transaction((tx) => completePromotion(tx, id, at))
  }

  /**
   * Returns false if a record references the file, or if a condition of the transition is not met.
   */
  transition(id: string, transition: Transition): Promise<boolean> {
    return transitionUnlessReferenced(this.#database, id, transition)
  }

  /** Begins to delete a file (`→ deleting`) whose upload failed or whose bytes are lost. */
  giveUp(id: string, from: 'uploading' | 'promoting', at: number): Promise<boolean> {
    const deleting = { state: 'deleting', changedAt: at, deletedAt: at } as const
    return changed(this.#update(id, [from]).set({ ...deleting, reason: 'upload_failed' }))
  }

  /** Completes a deletion (`deleting → deleted`), after the bytes are deleted. */
  async completeDeletion(id: string, at: number): Promise<boolean> {
    // If a power failure undoes this update, the next sweep repeats the deletion.
    const { numAffectedRows } = await markDeleted(this.#database.relaxed, { id, at })
    return Boolean(numAffectedRows)
  }

  /** Restores a file (`orphaned → permanent`). `unsavedGrace` starts again, as after finalizing. */
  restore(id: string, at: number): Promise<boolean> {
    const permanent = { state: 'permanent', changedAt: at, finalizedAt: at } as const
    const cleared = { referencedAt: null, orphanedAt: null, reason: null, actor: null }
    return changed(this.#update(id, ['orphaned']).set({ ...permanent, ...cleared }))
  }

  /** Removes the row of a failed upload, after its bytes are deleted. */
  async forgetUpload(id: string): Promise<void> {
    await this.#database.db
      .deleteFrom('media')
      .where('id', '=', id)
      .where('state', 'in', ['deleting', 'deleted'])
      .where('checksum', 'is', null)
      .execute()
  }

  /** Removes the row of a file that was deleted at or before `until` and has no references. */
  async forget(id: string, until: number): Promise<boolean> {
    const { numDeletedRows } = await this.#database.db
      .deleteFrom('media')
      .where('id', '=', id)
      .where('state', '=', 'deleted')
      .where('changedAt', '<=', until)
      .where(({ exists, not, selectFrom }) =>
        not(exists(selectFrom('mediaReference').select('mediaId').where('mediaId', '=', id))),
      )
      .executeTakeFirst()
    return numDeletedRows > 0n
  }

  /** Transfers all files of one owner to another. Returns their number. */
  changeOwner(from: string, to: string): Promise<number> {
    // The update locks many rows, so a deadlock is possible. The transaction then runs again.
    return this.#database.transaction(async ({ db }) => {
      const update = db.updateTable('media').set({ owner: to }).where('owner', '=', from)
      return Number((await update.executeTakeFirst()).numUpdatedRows)
    })
  }

  #update(id: string, from: readonly MediaState[]): Update {
    const update = this.#database.db.updateTable('media')
    return update.where('id', '=', id).where('state', 'in', from)
  }
}

const selectRow = statement((db, { id }: { readonly id: string }) =>
  db.selectFrom('media').selectAll().where('id', '=', id),
)

const insertRow = statement((db, { id, owner, name, type, tempKey, createdAt }: NewMedium) =>
  db.insertInto('media').values({
    ...{ id, owner, name, type, tempKey, createdAt },
    ...{ state: 'uploading', changedAt: createdAt, writes: 0 },
  }),
)

const completeUpload = statement(
  (
    db,
    { id, name, type, size, checksum, width, height, changedAt }: ReturnType<typeof uploadedValues>,
  ) =>
    db
      .updateTable('media')
      .set({ state: 'temporary', name, type, size, checksum, width, height, changedAt })
      .where('id', '=', id)
      .where('state', '=', 'uploading'),
)

const markDeleted = statement((db, { id, at }: { readonly id: string; readonly at: number }) =>
  db
    .updateTable('media')
    .set({ state: 'deleted', changedAt: at, deletedAt: at })
    .where('id', '=', id)
    .where('state', '=', 'deleting'),
)

async function changed(update: Update): Promise<boolean> {
  return (await update.executeTakeFirst()).numUpdatedRows > 0n
}

/**
 * Completes an upload within the quota of its owner. Locks the unfinished uploads of the owner
 * before it adds up the sizes of all files of the owner. If two uploads complete at once, the
 * second waits for the first and then sees its size.
 *
 * @returns `claimed` if the file now belongs to another owner, whose quota applies
 */
async function completeWithin(
  tx: LedgerConnection,
  limit: number,
  id: string,
  facts: UploadedFacts,
  at: number,
): Promise<Completion | 'claimed'> {
  const ownerOf = tx.db.selectFrom('media').select('owner').where('id', '=', id)
  const owner = (await ownerOf.executeTakeFirst())?.owner
  if (owner === undefined) return 'gone'
  const uploads = await tx.db
    .selectFrom('media')
    .select('id')
    .where('owner', '=', owner)
    .where('state', '=', 'uploading')
    .orderBy('id')
    .forUpdate()
    .execute()
  const ids = uploads.map((upload) => upload.id)
  if (!ids.includes(id))
    return (await ownerOf.executeTakeFirst())?.owner === owner ? 'gone' : 'claimed'
  await writeLocked(tx, ids)
  if ((await usageOf(tx, owner)) + facts.size > limit) return 'exceeded'
  await completeUpload(tx, uploadedValues(id, facts, at))
  return 'completed'
}

function uploadedValues(id: string, facts: UploadedFacts, at: number) {
  const { name, type, size, checksum, width = null, height = null } = facts
  return { id, name, type, size, checksum, width, height, changedAt: at }
}

async function usageOf({ db }: LedgerConnection, owner: string): Promise<number> {
  const { bytes } = await db
    .selectFrom('media')
    .select((eb) => eb.fn.sum('size').as('bytes'))
    .where('owner', '=', owner)
    .where('state', '<>', 'deleted')
    .executeTakeFirstOrThrow()
  return toNumber(bytes ?? 0)
}

/**
 * Makes a file permanent in the ledger. If the temporary file had references and lost them, clears
 * `referencedAt`, so that `unsavedGrace` applies. Locks the row before it reads the references,
 * like `transitionUnlessReferenced`.
 */
async function completePromotion(tx: LedgerConnection, id: string, at: number): Promise<boolean> {
  const row = await tx.db
    .selectFrom('media')
    .select(['state', 'referencedAt'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (row?.state !== 'promoting') return false
  const isKept = row.referencedAt !== null && (await isReferenced(tx, id))
  await tx.db
    .updateTable('media')
    .set({ state: 'permanent', changedAt: at, finalizedAt: at, referencedAt: isKept ? at : null })
    .where('id', '=', id)
    .execute()
  return true
}
