import type { SqlExecutor } from '@quillgate/database'
import type { ActorOptions, Cleanup } from './cleanup.ts'
import type { Installation } from './installation.ts'
import type { LedgerDatabase } from './ledger-database.ts'
import type { RecordKey, RecordTexts } from './record-texts.ts'
import { addReferences, type ReferenceChange, writeReferences } from './write-references.ts'

/** A record with all its texts, as `rebuild` reads it. */
export interface RecordEntry extends RecordKey {
  readonly texts: RecordTexts
}

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
export interface MediaReferences {
  /**
   * Writes the references of a record when it is saved: every mention of a media id in its texts, code samples included.
   *
   * With `tx`, the record's own transaction, only that is used, so that it commits and rolls back with the record; after
   * the commit give `removed` to {@link settle}. Without it, a transaction of our own is used and settled.
   *
   * @param texts one text, a list, or an object from field to text; of an object only the given fields are replaced
   * @throws QuillgateError `invalid_request` (400) for a record or texts that cannot be
   * @example
   * const { removed } = await editor.references.set({ type: 'post', id: 7 }, { body: text }, tx)
   */
  set(record: RecordKey, texts: RecordTexts, tx?: SqlExecutor): Promise<ReferenceChange>
  /** The same for a record that is deleted: no texts. */
  remove(record: RecordKey, tx?: SqlExecutor): Promise<ReferenceChange>
  /**
   * After the commit: what no record references any more becomes an orphan; with `orphanGrace` 0 its bytes are gone when
   * this resolves. What fails is logged, for the save is done; that, and what a process that died left, the sweep does.
   *
   * @returns storage keys whose bytes are gone
   */
  settle(ids: Iterable<string>, options?: ActorOptions): Promise<string[]>
  /**
   * Reads all records of an application that had some before, and adds their references. It takes none away, so that it
   * can run beside saves. With `existingRecords`, deletions begin when it has ended.
   */
  rebuild(records: Iterable<RecordEntry> | AsyncIterable<RecordEntry>): Promise<RebuildReport>
}

/** What {@link createMediaReferences} needs. */
export interface MediaReferencesOptions {
  readonly database: LedgerDatabase
  readonly cleanup: Pick<Cleanup, 'settle'>
  readonly installation: Pick<Installation, 'recordRebuild'>
  readonly clock: () => number
}

/** Makes the references of a ledger. */
export function createMediaReferences(options: MediaReferencesOptions): MediaReferences {
  const { database, cleanup, installation, clock } = options

  const set = async (record: RecordKey, texts: RecordTexts, tx?: SqlExecutor): Promise<ReferenceChange> => {
    if (tx) return writeReferences(tx, database.tables, record, texts, clock())
    const change = await database.transaction((own) => writeReferences(own, database.tables, record, texts, clock()))
    await cleanup.settle(change.removed)
    return change
  }

  return {
    set,
    remove: (record, tx) => set(record, [], tx),
    settle: (ids, actor) => cleanup.settle(ids, actor),

    async rebuild(records) {
      const report = { records: 0, added: 0, missing: 0 }
      for await (const { texts, ...record } of records) {
        const { added, missing } = await database.transaction((tx) =>
          addReferences(tx, database.tables, record, texts, clock()),
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
