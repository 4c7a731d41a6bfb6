import { ConfigurationError } from '@quillgate/server/core'
import type { Dialect, Row, SqlExecutor } from '@quillgate/server/database'
import {
  type Model,
  type ModelStatic,
  QueryTypes,
  type Sequelize,
  type Transaction,
} from 'sequelize'
import { checkTexts } from '../media/references.ts'
import { createExecutor, dialectOf } from './executor.ts'
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

const DIALECTS: Readonly<Record<string, Dialect>> = {
  sqlite: 'sqlite',
  postgres: 'postgres',
  mariadb: 'mariadb',
  mysql: 'mariadb',
}
const INSTEAD =
  'Write the records one by one, or with individualHooks: true. Or use hooks: false, and call references.set for each record.'

/**
 * Returns an executor for a transaction of Sequelize 6, for the option `tx` of `references.set`.
 *
 * @throws ConfigurationError for a database that is not supported
 * @example
 * const { removed } = await sequelize.transaction(async (transaction) => {
 *   await Post.update({ body }, { where: { id }, transaction, hooks: false })
 *   const tx = sequelizeExecutor(sequelize, transaction)
 *   return editor.references.set({ type: 'post', id }, { body }, { tx, actor })
 * })
 * await editor.references.settle(removed, { actor })
 */
export function sequelizeExecutor(sequelize: Sequelize, transaction: Transaction): SqlExecutor {
  const dialect = dialectOf('sequelize.dialect', DIALECTS, sequelize.getDialect())
  const optionsFor = (params: readonly unknown[]) => {
    const values = params.map(toBuffer)
    // Sequelize binds values for `$1` (PostgreSQL). For `?`, it writes escaped values into the SQL.
    const bound = dialect === 'postgres' ? { bind: values } : { replacements: values }
    return { transaction, ...bound }
  }
  return createExecutor(dialect, {
    query: (sql, params) =>
      sequelize.query<Row>(sql, { ...optionsFor(params), type: QueryTypes.SELECT }),
    // With the type BULKUPDATE, Sequelize returns the number of changed rows.
    execute: (sql, params) =>
      sequelize.query(sql, { ...optionsFor(params), type: QueryTypes.BULKUPDATE }),
  })
}

/** Converts byte arrays to `Buffer`, because Sequelize cannot escape other byte arrays. */
function toBuffer(value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value) : value
}

/**
 * Tracks all models that have `static markdownCleanupFields`: the names of the attributes with
 * Markdown, or null for every text attribute. Call it once at start-up, after the models are
 * defined.
 *
 * `create`, `save`, `update` and `destroy` of an instance are tracked. `upsert` throws. Without
 * `individualHooks`, `bulkCreate`, bulk deletions, and bulk updates of tracked attributes or keys
 * throw too. A soft-deleted record keeps its media. Raw SQL and ON DELETE CASCADE are not tracked,
 * so call `references.set` or `references.remove` after such writes.
 *
 * @throws ConfigurationError if a declared field is not an attribute, or if no model declares
 * fields
 * @example
 * sequelizeCleanup(editor, sequelize, { actorOf: () => requests.getStore()?.user })
 */
export function sequelizeCleanup(
  editor: CleanupEditor,
  sequelize: Sequelize,
  options: CleanupOptions = {},
): void {
  const models = Object.values(sequelize.models)
  const tracked = models.filter((model) => declaredCleanupFields(model) !== undefined)
  if (tracked.length === 0)
    throw new ConfigurationError(
      'sequelize',
      'has no model with static markdownCleanupFields. Declare it in each model to track',
    )
  const saves = new RecordSaves(editor, options)
  for (const model of tracked) {
    trackModel(model, saves, sequelize)
    rejectBulkWrites(model)
  }
}

function trackModel(model: ModelStatic<Model>, saves: RecordSaves, sequelize: Sequelize): void {
  const fields = fieldsOf(model)
  const textsOf = (instance: Model, names: readonly string[]): Texts =>
    Object.fromEntries(names.map((name) => [name, fieldText(instance.get(name))]))
  const write = async (instance: Model, texts: Texts | null, transaction?: Transaction | null) => {
    const key = model.primaryKeyAttributes.map((name) => instance.get(name))
    const record = recordKey(tableOf(model), key)
    if (!transaction) return saves.save(record, texts, null)
    const root = rootOf(transaction)
    if (!followed.has(root)) {
      followed.add(root)
      root.afterCommit(() => saves.committed(root))
    }
    const executor = sequelizeExecutor(sequelize, transaction)
    await saves.save(record, texts, { key: root, executor })
  }
  const followed = new WeakSet<Transaction>()

  model.addHook('beforeSave', (instance: Model) => {
    const changed = fields.filter((name) => instance.changed(name as keyof Model))
    checkTexts(textsOf(instance, changed))
  })
  model.addHook('afterCreate', (instance: Model, { transaction }: SaveOptions) =>
    write(instance, textsOf(instance, fields), transaction),
  )
  model.addHook(
    'afterUpdate',
    async (instance: Model, { transaction, fields: written }: SaveOptions) => {
      const names = fields.filter((name) => written?.includes(name) ?? true)
      if (names.length > 0) await write(instance, textsOf(instance, names), transaction)
    },
  )
  model.addHook('afterDestroy', async (instance: Model, { transaction, force }: SaveOptions) => {
    const isSoft = model.options.paranoid === true && force !== true
    if (!isSoft) await write(instance, null, transaction)
  })
}

/** Makes bulk writes throw, because Sequelize does not report which records they write. */
function rejectBulkWrites(model: ModelStatic<Model>): void {
  const reject = (method: string): never => {
    throw notTracked(`${method}() of ${model.name}`, INSTEAD)
  }
  model.addHook('beforeBulkCreate', (_: readonly Model[], { individualHooks }: BulkOptions) => {
    if (individualHooks !== true) reject('bulkCreate')
  })
  model.addHook('beforeBulkUpdate', ({ individualHooks, attributes = {} }: BulkOptions) => {
    const isTracked = [...fieldsOf(model), ...model.primaryKeyAttributes].some(
      (name) => name in attributes,
    )
    if (isTracked && individualHooks !== true) reject('update')
  })
  model.addHook('beforeBulkDestroy', ({ individualHooks, force }: BulkOptions) => {
    const isSoft = model.options.paranoid === true && force !== true
    if (!isSoft && individualHooks !== true) reject('destroy')
  })
  model.addHook('beforeUpsert', () => reject('upsert'))
}

interface SaveOptions {
  readonly transaction?: Transaction | null | undefined
  readonly fields?: readonly (string | number | symbol)[] | undefined
  readonly force?: boolean | undefined
}

interface BulkOptions extends SaveOptions {
  readonly individualHooks?: boolean | undefined
  readonly attributes?: object | undefined
}

/** Returns the outermost transaction. Sequelize's type does not declare the property `parent`. */
function rootOf(transaction: Transaction): Transaction {
  const { parent } = transaction as { readonly parent?: Transaction | null }
  return parent ? rootOf(parent) : transaction
}

function fieldsOf(model: ModelStatic<Model>): readonly string[] {
  const attributes = model.getAttributes()
  const names = Object.keys(attributes)
  const declared = declaredCleanupFields(model)
  if (!declared) return names.filter((name) => isText(attributes[name]))
  checkFields(model.name, declared, names)
  return declared
}

function isText(attribute: { type: unknown; primaryKey?: boolean } | undefined): boolean {
  const isTextType = /^(?:TEXT|VARCHAR|STRING|CHAR|CITEXT)/i.test(String(attribute?.type))
  return isTextType && attribute?.primaryKey !== true
}

function tableOf(model: ModelStatic<Model>): string {
  const table = model.getTableName()
  return typeof table === 'string' ? table : `${table.schema}.${table.tableName}`
}
