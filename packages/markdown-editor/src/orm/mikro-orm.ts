import {
  type EntityManager,
  type EntityMetadata,
  type EventArgs,
  type EventSubscriber,
  type MikroORM,
  ReferenceKind,
  type TransactionEventArgs,
} from '@mikro-orm/core'
import { ConfigurationError } from '@quillgate/server/core'
import { createSqlExecutor, type SqlExecutor } from '@quillgate/server/database'
import type { Kysely } from 'kysely'
import { checkTexts } from '../media/references.ts'
import { declaredCleanupFields } from './markdown-cleanup-mixin.ts'
import {
  type CleanupEditor,
  type CleanupOptions,
  checkFields,
  fieldText,
  notTracked,
  RecordSaves,
  recordKey,
  type Texts,
} from './record-saves.ts'

export type { Actor } from '../media/ledger/principal.ts'

type Transaction = Kysely<unknown>

/**
 * Returns an executor for the transaction of an entity manager of MikroORM 7, for the option `tx`
 * of `references.set`.
 *
 * @throws ConfigurationError if the entity manager is not in a transaction
 * @example
 * const { removed } = await em.transactional(async (em) => {
 *   await em.nativeUpdate(Post, { id }, { body })
 *   return editor.references.set({ type: 'post', id }, { body }, { tx: mikroOrmExecutor(em), actor })
 * })
 * await editor.references.settle(removed, { actor })
 */
export function mikroOrmExecutor(em: EntityManager): SqlExecutor {
  const transaction = em.getTransactionContext<Transaction>()
  if (!transaction)
    throw new ConfigurationError('em', 'must be the entity manager of a transaction')
  return createSqlExecutor(transaction)
}

/**
 * Tracks all entities that have `static markdownCleanupFields`: the names of the fields with
 * Markdown, or null for every text field. Call it once at start-up.
 *
 * Writes by `flush` are tracked. `upsert` throws, because MikroORM does not report the written
 * record. `nativeInsert`, `nativeUpdate`, `nativeDelete`, query builders and raw SQL have no hooks,
 * so call `references.set` or `references.remove` after such writes.
 *
 * @throws ConfigurationError if a declared field is not a property, or if no entity declares fields
 * @example
 * mikroOrmCleanup(editor, orm, { actorOf: () => requests.getStore()?.user })
 */
export function mikroOrmCleanup(
  editor: CleanupEditor,
  orm: MikroORM,
  options: CleanupOptions = {},
): void {
  const saves = new RecordSaves(editor, options)
  orm.em.getEventManager().registerSubscriber(new CleanupSubscriber(trackedFields(orm), saves))
}

type TrackedFields = ReadonlyMap<EntityMetadata['class'], readonly string[]>

class CleanupSubscriber implements EventSubscriber<object> {
  readonly #tracked: TrackedFields
  readonly #saves: RecordSaves
  readonly #connections = new WeakMap<object, object>()

  constructor(tracked: TrackedFields, saves: RecordSaves) {
    this.#tracked = tracked
    this.#saves = saves
  }

  beforeCreate(event: EventArgs<object>): void {
    checkTexts(this.#textsOf(event))
  }

  beforeUpdate(event: EventArgs<object>): void {
    checkTexts(this.#textsOf(event))
  }

  async afterCreate(event: EventArgs<object>): Promise<void> {
    await this.afterUpdate(event)
  }

  async afterUpdate(event: EventArgs<object>): Promise<void> {
    const texts = this.#textsOf(event)
    if (Object.keys(texts).length > 0) await this.#save(event, texts)
  }

  async afterDelete(event: EventArgs<object>): Promise<void> {
    if (this.#tracked.has(event.meta.class)) await this.#save(event, null)
  }

  beforeUpsert({ meta }: EventArgs<object>): void {
    if (!this.#tracked.has(meta.class)) return
    throw notTracked(
      `upsert() of ${meta.className}`,
      'Load the record, change it and flush. Or use nativeUpdate, then call references.set.',
    )
  }

  async beforeTransactionCommit({ transaction }: TransactionEventArgs): Promise<void> {
    // Ignores nested transactions. Their end only releases a savepoint.
    if (!transaction || 'savepointName' in transaction) return
    this.#connections.set(transaction, await connectionOf(transaction as Transaction))
  }

  async afterTransactionCommit({ transaction }: TransactionEventArgs): Promise<void> {
    const connection = transaction && this.#connections.get(transaction)
    if (connection) await this.#saves.committed(connection)
  }

  #textsOf({ entity, meta, changeSet }: EventArgs<object>): Texts {
    const payload = changeSet?.payload ?? {}
    const values = entity as Readonly<Record<string, unknown>>
    const written = this.#tracked.get(meta.class)?.filter((field) => field in payload) ?? []
    return Object.fromEntries(written.map((field) => [field, fieldText(values[field])]))
  }

  async #save({ em, entity, meta }: EventArgs<object>, texts: Texts | null): Promise<void> {
    const values = entity as Readonly<Record<string, unknown>>
    const parts = meta.primaryKeys.map((name) => values[name])
    const transaction = em.getTransactionContext<Transaction>()
    const open = transaction && {
      key: await connectionOf(transaction),
      executor: createSqlExecutor(transaction),
    }
    await this.#saves.save(recordKey(meta.tableName, parts), texts, open ?? null)
  }
}

// The savepoints of a transaction have the same connection.
function connectionOf(transaction: Transaction): Promise<object> {
  return transaction.getExecutor().provideConnection(async (connection) => connection)
}

function trackedFields(orm: MikroORM): TrackedFields {
  const tracked = new Map<EntityMetadata['class'], readonly string[]>()
  for (const meta of orm.getMetadata().getAll().values()) {
    const declared = declaredCleanupFields(meta.class)
    if (declared === undefined) continue
    checkFields(meta.className, declared ?? [], Object.keys(meta.properties))
    tracked.set(meta.class, declared ?? textFields(meta))
  }
  if (tracked.size === 0)
    throw new ConfigurationError(
      'orm',
      'has no entity with static markdownCleanupFields. Declare it in each entity to track',
    )
  return tracked
}

function textFields({ props }: EntityMetadata): string[] {
  const texts = props.filter(({ kind, primary, runtimeType }) => {
    return kind === ReferenceKind.SCALAR && primary !== true && runtimeType === 'string'
  })
  return texts.map(({ name }) => name)
}
