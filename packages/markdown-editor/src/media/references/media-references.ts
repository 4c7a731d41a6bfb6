import type { SqlExecutor } from '@quillgate/server/database'
import type { ActorOptions, Cleanup } from '../cleanup.ts'
import type { Installation } from '../ledger/installation.ts'
import type { LedgerDatabase } from '../ledger/ledger-database.ts'
import { type CanManage, managementOf } from '../ledger/management.ts'
import type { Actor, EditorUser } from '../ledger/principal.ts'
import type { RecordKey, RecordTexts } from '../ledger/record-texts.ts'
import { addReferences, type ReferenceChange, writeReferences } from './write-references.ts'

/** A record with all its texts, as `rebuild` reads it. */
export interface RecordEntry extends RecordKey {
  readonly texts: RecordTexts
  /** The user who wrote it; see the `actor` of `references.set`. */
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

/** How the references of a record are written. */
export interface SaveOptions<User extends EditorUser = EditorUser> extends ActorOptions<User> {
  /** The record's own transaction. Without it, the references get a transaction of their own. */
  readonly tx?: SqlExecutor | undefined
}

/** Which records reference which files. */
export interface MediaReferences<User extends EditorUser = EditorUser> {
  /**
   * Writes the references of a record when it is saved: every mention of a media id in its texts,
   * code samples included.
   *
   * With `tx`, the references commit and roll back with the record. Give `removed` to {@link
   * settle} after the commit. Without `tx`, the files are settled before this resolves.
   *
   * @param texts one text, a list, or an object from field to text; of an object only the given
   * fields are replaced
   * @param options.tx the record's own transaction, as an executor: `database.executor(trx)`, or
   * that of your ORM
   * @param options.actor who saves the record. Pass it wherever users must not decide on each
   * other's files: a mention protects a file that the actor does not manage only while the mention
   * exists. `unsavedGrace` continues to count for such a file, and an orphan comes back only into
   * the record that last contained it. `canManage` is called inside the transaction. Without an
   * actor the application answers for the text
   * @throws QuillgateError `invalid_request` (400) for a record or texts that cannot be,
   * `too_many_media` (413) for a text with more than 10,000 ids, `invalid_user` (500) for an actor
   * that cannot be
   * @example
   * const { removed } = await editor.references.set({ type: 'post', id: 7 }, { body: text }, { tx, actor: user })
   */
  set(record: RecordKey, texts: RecordTexts, options?: SaveOptions<User>): Promise<ReferenceChange>
  /**
   * Removes the references of a deleted record. Call it only if the deletion matched a record:
   * otherwise another transaction may just have created one with this key, and its references would
   * go.
   */
  remove(record: RecordKey, options?: SaveOptions<User>): Promise<ReferenceChange>
  /**
   * After the commit: what no record references any more becomes an orphan; with `orphanGrace` 0
   * its bytes are gone when this resolves. What fails is logged, for the save is done; that, and
   * what a process that died left, the sweep does.
   *
   * @returns storage keys whose bytes are gone
   */
  settle(ids: Iterable<string>, options?: ActorOptions<User>): Promise<string[]>
  /**
   * Reads all existing records and adds their references. It removes none, so that it can run
   * during saves. With `existingRecords`, deletions begin when it has ended.
   */
  rebuild(records: RecordEntries): Promise<RebuildReport>
}

/** The collaborators of {@link createMediaReferences}. */
export interface MediaReferencesOptions {
  readonly database: LedgerDatabase
  readonly cleanup: Pick<Cleanup, 'settle'>
  readonly installation: Pick<Installation, 'recordRebuild'>
  /** Decides who manages files of other owners. By default, no user does. */
  readonly canManage?: CanManage | undefined
  readonly clock: () => number
}

/** Makes the references of a ledger. */
export function createMediaReferences(options: MediaReferencesOptions): MediaReferences {
  const { database, cleanup, installation, canManage, clock } = options

  const set: MediaReferences['set'] = async (record, texts, { tx, actor } = {}) => {
    const manages = managementOf(actor, canManage)
    const write = (own: SqlExecutor) =>
      writeReferences(own, database.tables, record, texts, clock(), manages)
    if (tx) return write(tx)
    const change = await database.transaction(write)
    await cleanup.settle(change.removed, { actor })
    return change
  }

  return {
    set,
    remove: (record, options) => set(record, [], options),
    settle: (ids, options) => cleanup.settle(ids, options),

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
