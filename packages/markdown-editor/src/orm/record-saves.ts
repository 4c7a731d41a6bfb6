import { ConfigurationError, type QuillgateError } from '@quillgate/server/core'
import type { SqlExecutor } from '@quillgate/server/database'
import { editorError } from '../errors.ts'
import type { MediaReferences } from '../markdown-editor.ts'
import type { Actor } from '../media/ledger/principal.ts'
import type { RecordKey } from '../media/ledger/record-texts.ts'

/** The methods of an editor that the hooks of ORMs call. */
export interface CleanupEditor {
  readonly references: Pick<MediaReferences, 'set' | 'settle'>
}

/** Options of the functions that add hooks to an ORM, such as `typeormCleanup`. */
export interface CleanupOptions {
  /**
   * Returns the user who saves the current record, for example from an `AsyncLocalStorage` of the
   * request. See the option `actor` of `references.set`.
   *
   * @default no actor, so the application makes all changes
   */
  actorOf?(): Actor | undefined
}

/** The texts that a save writes, by field. */
export type Texts = Readonly<Record<string, string | null>>

/** The transaction in which a record is saved. Its savepoints have the same key. */
export interface OpenTransaction {
  readonly key: object
  readonly executor: SqlExecutor
}

/**
 * Writes the references of records that an ORM saves. After the commit, calls `settle` with the
 * files of removed references. If a removal was rolled back, `settle` keeps the file.
 */
export class RecordSaves {
  readonly #references: CleanupEditor['references']
  readonly #actorOf: CleanupOptions['actorOf']
  readonly #removed = new WeakMap<object, Set<string>>()

  constructor({ references }: CleanupEditor, { actorOf }: CleanupOptions) {
    this.#references = references
    this.#actorOf = actorOf
  }

  /** Writes the references of a record in `transaction`. @param texts null for a deleted record */
  async save(
    record: RecordKey,
    texts: Texts | null,
    transaction: OpenTransaction | null,
  ): Promise<void> {
    const options = { tx: transaction?.executor, actor: this.#actorOf?.() }
    const change = await this.#references.set(record, texts ?? [], options)
    if (!transaction) return
    const ids = this.#removed.get(transaction.key) ?? new Set()
    this.#removed.set(transaction.key, ids)
    for (const id of change.removed) ids.add(id)
  }

  async committed(key: object): Promise<void> {
    const ids = this.#removed.get(key)
    this.#removed.delete(key)
    if (ids && ids.size > 0) await this.#references.settle(ids, { actor: this.#actorOf?.() })
  }
}

/** Throws if `static markdownCleanupFields` contains a name that is not a field of the model. */
export function checkFields(
  model: string,
  declared: readonly string[],
  fields: readonly string[],
): void {
  const unknown = declared.find((field) => !fields.includes(field))
  if (unknown === undefined) return
  const problem = `must contain only fields of ${model}`
  throw new ConfigurationError(`${model}.markdownCleanupFields`, problem, unknown)
}

/**
 * Returns the key under which the references of a record are stored. The key is the same for all
 * ORMs. A primary key of several columns becomes a JSON array.
 *
 * @param table the name of the table, with the schema if the ORM has one: `blog.post`
 */
export function recordKey(table: string, parts: readonly unknown[]): RecordKey {
  if (parts.length === 0 || parts.some((part) => part === undefined || part === null))
    throw editorError(
      'record_without_id',
      `The primary key of a saved record of ${table} is not known, so its media cannot be kept. Call references.set with its key.`,
    )
  const [first] = parts
  return { type: table, id: parts.length === 1 ? textOf(first) : JSON.stringify(parts.map(textOf)) }
}

/** Returns the text of a field. A value that is not text, such as a list, becomes JSON. */
export function fieldText(value: unknown): string | null {
  if (value === null || value === undefined || typeof value === 'string') return value ?? null
  return JSON.stringify(value) ?? null
}

/** Creates the error 500 `bulk_write_not_tracked`. @param instead a sentence with advice */
export function notTracked(what: string, instead: string): QuillgateError {
  return editorError(
    'bulk_write_not_tracked',
    `${what} does not name the records that it changes, so their media cannot be tracked. ${instead}`,
  )
}

function textOf(part: unknown): string {
  if (part instanceof Date) return part.toISOString()
  return part instanceof Uint8Array ? Buffer.from(part).toString('hex') : String(part)
}
