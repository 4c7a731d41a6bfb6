import type { UserId } from '@quillgate/server/core'
import type { SqlExecutor } from '@quillgate/server/database'
import type { ActorOptions, Cleanup } from '../cleanup.ts'
import type { Installation } from '../ledger/installation.ts'
import type { LedgerDatabase } from '../ledger/ledger-database.ts'
import { type CanManage, managementOf } from '../management.ts'
import type { Actor } from '../owner.ts'
import type { RecordKey, RecordTexts } from '../record-texts.ts'
import { addReferences, type ReferenceChange, writeReferences } from './write-references.ts'

/** A record with all its texts, as `rebuild` reads it. */
export interface RecordEntry extends RecordKey {
  readonly texts: RecordTexts
  /** Who wrote it, where users must not decide on each other's files; see `references.set`. */
  readonly actor?: Actor
}

/** Records as they come, or a list of them. */
export type RecordEntries =
  | Iterable<RecordEntry>
  | AsyncIterable<RecordEntry>
  | Promise<Iterable<RecordEntry> | AsyncIterable<RecordEntry>>

/** What `rebuild` found. */
export interface RebuildReport {
  /** Records read. */
  readonly records: number
  /** References that were not known before. */
  readonly added: number
  /** Mentions of files that are gone or never were. */
  readonly missing: number
}

/** Which records reference which files. */
export interface MediaReferences<User extends { readonly id: UserId } = { readonly id: UserId }> {
  /**
   * Writes the references of a record when it is saved: every mention of a media id in its texts, code samples
   * included.
   *
   * With `tx`, the record's own transaction, only that is used, so that it commits and rolls back with the record;
   * after the commit give `removed` to {@link settle}. Without it, a transaction of our own is used and settled.
   *
   * @param texts one text, a list, or an object from field to text; of an object only the given fields are replaced
   * @param options.actor who saves the record: give it wherever users must not decide on each other's files. What
   * neither belongs to them nor is theirs by `canManage` is protected by their mention while it stands, and no more:
   * `unsavedGrace` counts for it as before, and an orphan comes back only into the record that held it. `canManage` is
   * then called inside the transaction. Without an actor the application answers for the text
   * @throws QuillgateError `invalid_request` (400) for a record or texts that cannot be, `too_many_media` (413) for a
   * text with more than 10,000 ids, `invalid_user` (500) for an actor that cannot be
   * @example
   * const { removed } = await editor.references.set({ type: 'post', id: 7 }, { body: text }, tx, { actor: user })
   */
  set(
    record: RecordKey,
    texts: RecordTexts,
    tx?: SqlExecutor,
    options?: ActorOptions<User>,
  ): Promise<ReferenceChange>
  /**
   * The same for a record that is deleted: no texts. Only when the deletion matched a record: else another transaction
   * may just have made one with this key, and its references would go.
   */
  remove(
    record: RecordKey,
    tx?: SqlExecutor,
    options?: ActorOptions<User>,
  ): Promise<ReferenceChange>
  /**
   * After the commit: what no record references any more becomes an orphan; with `orphanGrace` 0 its bytes are gone
   * when this resolves. What fails is logged, for the save is done; that, and what a process that died left, the sweep
   * does.
   *
   * @returns storage keys whose bytes are gone
   */
  settle(ids: Iterable<string>, options?: ActorOptions<User>): Promise<string[]>
  /**
   * Reads all records of an application that had some before, and adds their references. It takes none away, so that it
   * can run beside saves. With `existingRecords`, deletions begin when it has ended.
   */
  rebuild(records: RecordEntries): Promise<RebuildReport>
}

/** What {@link createMediaReferences} needs. */
export interface MediaReferencesOptions {
  readonly database: LedgerDatabase
  readonly cleanup: Pick<Cleanup, 'settle'>
  readonly installation: Pick<Installation, 'recordRebuild'>
  /** Who manages files of others; without it nobody. */
  readonly canManage?: CanManage
  readonly clock: () => number
}

/** Makes the references of a ledger. */
export function createMediaReferences(options: MediaReferencesOptions): MediaReferences {
  const { database, cleanup, installation, canManage, clock } = options

  const set: MediaReferences['set'] = async (record, texts, tx, by = {}) => {
    const manages = managementOf(by.actor, canManage)
    const write = (own: SqlExecutor) =>
      writeReferences(own, database.tables, record, texts, clock(), manages)
    if (tx) return write(tx)
    const change = await database.transaction(write)
    await cleanup.settle(change.removed, by)
    return change
  }

  return {
    set,
    remove: (record, tx, by) => set(record, [], tx, by),
    settle: (ids, by) => cleanup.settle(ids, by),

    async rebuild(records) {
      const report = { records: 0, added: 0, missing: 0 }
      for await (const { texts, actor, ...record } of await records) {
        const manages = managementOf(actor, canManage)
        const { added, missing } = await database.transaction((tx) =>
          addReferences(tx, database.tables, record, texts, clock(), manages),
        )
        report.records++
        report.added += added.length
        report.missing += missing.length
      }
      await installation.recordRebuild(clock())
      return report
    },
  }
}
