import { randomUUID } from 'node:crypto'
import type { Logger } from '@quillgate/server/core'
import type { LedgerDatabase } from '../ledger/ledger-database.ts'
import type { Manages } from '../management.ts'
import { parseRecordKey, type RecordKey, type RecordTexts, readMentions } from '../record-texts.ts'
import { holdAsUnsaved, lockUnsaved, recordFirstSave } from './first-saves.ts'
import {
  closeIntent,
  insertIntent,
  listIntents,
  lockIntents,
  type OpenIntent,
  outdateOthers,
} from './intent-table.ts'
import {
  addReferences,
  assertNotTooMany,
  type ReferenceChange,
  writeReferences,
} from './write-references.ts'

/** Reads the committed texts of one record; null: there is no such record. */
export type LoadRecord = (record: RecordKey) => RecordTexts | Promise<RecordTexts>

/** A save that was announced, and whose outcome the ledger does not know yet. */
export interface ReferenceIntent {
  /** Media that the record did not reference before. */
  readonly added: readonly string[]
  /** Ids whose files are gone or never were; see `ReferenceChange`. */
  readonly missing: readonly string[]
  /**
   * After the commit: takes away the references that the record does not have any more. Never rejects, for the save is
   * done; what fails is logged, and the sweep does it.
   *
   * @returns media that lost this record's reference
   */
  confirm(): Promise<readonly string[]>
  /** After a rollback: the same, for the record is as it was before. */
  cancel(): Promise<readonly string[]>
}

/** What announcing a save gives. */
interface BegunIntent extends Pick<ReferenceChange, 'added' | 'missing'> {
  readonly intent: OpenIntent
  /** Files that no record was saved with before. */
  readonly unsaved: readonly string[]
}

/** Follows saves whose records live in another database than the ledger. */
export interface Intents {
  /** Before a save: protects all that its texts mention, and remembers that its outcome is open. */
  open(record: RecordKey, texts: RecordTexts, manages: Manages | null): Promise<ReferenceIntent>
  /** The open ones that began by `until`, the oldest first. @param until milliseconds since the epoch */
  list(until: number): AsyncGenerator<OpenIntent>
  /**
   * Ends one: reads the record as it is now and takes away references that it does not have. Can be repeated.
   *
   * @returns media that lost a reference; null when somebody else ended it
   * @throws what reading the record throws; the intent stays open
   */
  resolve(intent: OpenIntent): Promise<readonly string[] | null>
}

/** What {@link createIntents} needs. */
export interface IntentsOptions {
  readonly database: LedgerDatabase
  readonly load: LoadRecord
  readonly clock: () => number
  readonly logger: Logger
}

const NOBODY: Manages = async () => null

/**
 * Makes the intents of a ledger. A save announced here first adds references, in the ledger's database; only when no
 * save of that record is open any more, and none began while the record was read, are references taken away. So
 * whatever dies at whatever moment, a file is at worst protected for too long, until the sweep resolves what was left
 * open.
 */
export function createIntents({ database, load, clock, logger }: IntentsOptions): Intents {
  const { tables, transaction } = database

  /**
   * First the row alone is committed, then the references are added: from then on whoever ends another intent of this
   * record either sees the row, or holds the lock of a row that is seen here. In one transaction, two announcements that
   * do not see each other yet would not wait for each other, and the one that ends first would take away what the
   * other needs.
   */
  const begin = async (
    record: RecordKey,
    texts: RecordTexts,
    manages: Manages | null,
  ): Promise<BegunIntent> => {
    const key = parseRecordKey(record)
    const mentioned = [...readMentions(texts).fields.values()].flatMap((ids) => [...ids])
    const intent: OpenIntent = { id: randomUUID(), record: key }
    await insertIntent(database, intent, clock())
    const protect = transaction(async (tx) => {
      await lockIntents(tx, tables, key)
      await outdateOthers(tx, tables, intent)
      const unsaved = await lockUnsaved(tx, tables, mentioned)
      const change = await addReferences(tx, tables, record, texts, clock(), manages, true)
      return { intent, ...change, unsaved: await holdAsUnsaved(tx, tables, unsaved) }
    })
    return protect.catch(async (error: unknown) => {
      // Others may have left the reading of the record to this one; if it fails here too, the sweep does it.
      await resolve(intent).catch(() => {})
      throw error
    })
  }

  /** @returns the epoch at which to read the record; `others`: later ones will; `gone`: it was ended already */
  const epochOfLast = ({ id, record }: OpenIntent): Promise<number | 'gone' | 'others'> =>
    transaction(async (tx) => {
      const open = await lockIntents(tx, tables, record)
      const epoch = open.get(id)
      if (epoch === undefined) return 'gone'
      if (open.size === 1) return epoch
      await closeIntent(tx, tables, id)
      return 'others'
    })

  const write = (
    { id, record }: OpenIntent,
    epoch: number,
    texts: RecordTexts,
  ): Promise<ReferenceChange | 'changed'> =>
    transaction(async (tx) => {
      const open = await lockIntents(tx, tables, record)
      if (open.size > 1 || open.get(id) !== epoch) return 'changed'
      const change = await writeReferences(tx, tables, record, texts ?? [], clock(), NOBODY)
      await closeIntent(tx, tables, id)
      return change
    })

  const resolve: Intents['resolve'] = async (intent) => {
    for (;;) {
      const epoch = await epochOfLast(intent)
      if (epoch === 'gone') return null
      if (epoch === 'others') return []
      const change = await write(intent, epoch, await load(intent.record))
      if (change !== 'changed') return change.removed
    }
  }

  /**
   * @param again announces the save anew, where a sweep took it for broken off and its files for unneeded
   * @param saved files that the record was saved with for the first time
   */
  const end = async (
    intent: OpenIntent,
    again: () => Promise<OpenIntent | null>,
    saved: readonly string[] = [],
  ): Promise<readonly string[]> => {
    try {
      if (saved.length > 0)
        await transaction((tx) => recordFirstSave(tx, tables, saved, intent.record, clock()))
      const removed = await resolve(intent)
      const anew = removed === null ? await again() : null
      return removed ?? (anew && (await resolve(anew))) ?? []
    } catch (error) {
      const { type, id } = intent.record
      logger.error(
        `The references of ${type} ${id} could not be brought up to date; the sweep will do it.`,
        error,
      )
      return []
    }
  }

  return {
    resolve,

    async open(record, texts, manages) {
      assertNotTooMany(readMentions(texts).fields)
      const { intent, added, missing, unsaved } = await begin(record, texts, manages)
      const again = async (): Promise<OpenIntent> => (await begin(record, texts, manages)).intent
      return {
        added,
        missing,
        confirm: () => end(intent, again, unsaved),
        cancel: () => end(intent, async () => null),
      }
    },

    list: (until) => listIntents(database, until),
  }
}
