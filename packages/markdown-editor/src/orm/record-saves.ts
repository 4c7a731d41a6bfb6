import type { QuillgateError } from '@quillgate/server/core'
import type { SqlExecutor } from '@quillgate/server/database'
import { editorError } from '../errors.ts'
import type { MediaReferences } from '../markdown-editor.ts'
import type { Actor } from '../media/ledger/principal.ts'
import type { RecordKey } from '../media/ledger/record-texts.ts'
import { checkTexts } from '../media/references.ts'

/** The part of an editor that hooks use. */
export interface CleanupEditor {
  readonly references: Pick<MediaReferences, 'set' | 'settle'>
}

/** Options of hooks. */
export interface CleanupOptions {
  /**
   * Returns who saves at this moment, for example from an `AsyncLocalStorage` of the request; see
   * `references.set`.
   * @default the application answers for all texts
   */
  actorOf?(): Actor | undefined
}

/** The written texts of a record, by field. */
export type Texts = Readonly<Record<string, string | null>>

/** The transaction in which a record is saved. */
export interface OpenTransaction {
  /** Identifies the transaction; its savepoints share one object. */
  readonly key: object
  readonly executor: SqlExecutor
}

/** Writes the references of records that a library saves. */
export interface RecordSaves {
  /** Before a save: throws if the references of these texts cannot be written. */
  check(texts: Texts): void
  /**
   * After a save, in its transaction. Without one, references get a transaction of their own.
   *
   * @param texts null: the record was deleted
   */
  save(record: RecordKey, texts: Texts | null, transaction: OpenTransaction | null): Promise<void>
  /** After the commit: deletes or orphans files that no record references any more. */
  committed(key: object): Promise<void>
}

/**
 * Connects the hooks of a library with an editor. Files that lost a reference are remembered for
 * each transaction and settled after its commit. `settle` looks at the references again, so a file
 * whose save was rolled back to a savepoint is safe.
 */
export function createRecordSaves(
  { references }: CleanupEditor,
  { actorOf }: CleanupOptions,
): RecordSaves {
  const removed = new WeakMap<object, Set<string>>()
  const by = () => {
    const actor = actorOf?.()
    return actor === undefined ? {} : { actor }
  }
  return {
    check: (texts) => checkTexts(texts),

    async save(record, texts, transaction) {
      const change = await references.set(record, texts ?? [], {
        tx: transaction?.executor,
        ...by(),
      })
      if (!transaction) return
      const ids = removed.get(transaction.key) ?? new Set()
      removed.set(transaction.key, ids)
      for (const id of change.removed) ids.add(id)
    },

    async committed(key) {
      const ids = removed.get(key)
      removed.delete(key)
      if (ids && ids.size > 0) await references.settle(ids, by())
    },
  }
}

/**
 * Returns the key by which the ledger knows a record: the name of its table, and its primary key as
 * text; of several columns, as a JSON array. It is the same for every library.
 *
 * @param table the table's name in the database, with the schema if the library names one:
 * `blog.post`
 * @param parts the values of the primary key, in the order of its columns
 * @throws QuillgateError `record_without_id` (500) if a part is missing
 */
export function recordKey(table: string, parts: readonly unknown[]): RecordKey {
  if (parts.length === 0 || parts.some((part) => part === undefined || part === null)) {
    throw editorError(
      'record_without_id',
      `The primary key of a saved record of ${table} is not known, so its media cannot be kept.`,
    )
  }
  const [first] = parts
  return { type: table, id: parts.length === 1 ? textOf(first) : JSON.stringify(parts.map(textOf)) }
}

/** Returns the value of a field as text; what is not text (JSON, a list) is written as JSON. */
export function fieldText(value: unknown): string | null {
  if (value === null || value === undefined || typeof value === 'string') return value ?? null
  return JSON.stringify(value) ?? null
}

/** Returns the error `bulk_write_not_tracked` (500). @param instead what to call instead */
export function notTracked(what: string, instead: string): QuillgateError {
  return editorError(
    'bulk_write_not_tracked',
    `${what} does not tell which records it writes, so their media cannot be tracked. ${instead}`,
  )
}

function textOf(part: unknown): string {
  if (part instanceof Date) return part.toISOString()
  return part instanceof Uint8Array ? Buffer.from(part).toString('hex') : String(part)
}
