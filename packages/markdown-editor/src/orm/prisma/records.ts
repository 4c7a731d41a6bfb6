import type { RecordKey } from '../../media/record-texts.ts'
import type { RecordEntry } from '../../media/references/media-references.ts'
import { keyParts } from '../record-key.ts'
import { toText } from '../to-text.ts'
import {
  type Args,
  delegateOf,
  dialectOfPrisma,
  type OpenClient,
  type Row,
  schemaOf,
} from './client.ts'
import {
  keyOf,
  ledgerType,
  type PrismaModel,
  type PrismaModels,
  readModels,
  type TrackedModel,
} from './models.ts'
import { createTextReader } from './texts.ts'

const PAGE = 500

/**
 * Reads all records of the given models, for `references.rebuild` and `markdown-editor reindex`. Give it a client
 * without extensions that hide records: media of what it does not see are not protected.
 *
 * @throws ConfigurationError as `prismaCleanup` does
 * @example
 * createMarkdownEditor({ …, records: { all: () => prismaRecords(client, models) } })
 */
export async function* prismaRecords<Client extends object>(
  client: Client,
  models: PrismaModels<Client>,
): AsyncGenerator<RecordEntry> {
  const { tracked } = readModels(
    client,
    models as Readonly<Record<string, PrismaModel | undefined>>,
  )
  for (const model of tracked.values()) {
    let last: Row | undefined
    do {
      const rows = await pageAfter(client as unknown as OpenClient, model, last)
      for (const row of rows) {
        const texts = Object.fromEntries(
          model.fields.map(({ field }) => [field, toText(row[field])]),
        )
        yield { ...keyOf(model, row), texts }
      }
      last = rows.length === PAGE ? rows.at(-1) : undefined
    } while (last)
  }
}

/**
 * Reads the texts of one record, for an editor whose records live in another database.
 *
 * @param options.schema as `prismaCleanup` has it
 * @returns null when there is no such record, or its table is of none of these models
 * @throws ConfigurationError as `prismaCleanup` does
 * @example
 * createMarkdownEditor({ …, recordsDatabase: 'separate', records: {
 *   load: (record) => prismaRecord(client, models, record),
 *   all: () => prismaRecords(client, models),
 * } })
 */
export async function prismaRecord<Client extends object>(
  client: Client,
  models: PrismaModels<Client>,
  record: RecordKey,
  options: { readonly schema?: string } = {},
): Promise<Record<string, string | null> | null> {
  const { tracked } = readModels(
    client,
    models as Readonly<Record<string, PrismaModel | undefined>>,
  )
  const model = [...tracked.values()].find((each) => ledgerType(each) === record.type)
  if (!model) return null
  const dialect = dialectOfPrisma(client)
  const readTexts = createTextReader(dialect, options.schema ?? schemaOf(client, dialect), false)
  const parts = keyParts(record, model.key.length)
  const key = Object.fromEntries(model.key.map(({ field }, index) => [field, parts[index]]))
  return readTexts(client as unknown as OpenClient, model, key, model.fields)
}

/** By the key of the last record, not by its position, which moves when records come and go. */
async function pageAfter(
  client: OpenClient,
  { model, key, fields }: TrackedModel,
  last?: Row,
): Promise<Row[]> {
  const names = key.map(({ field }) => field)
  const after = names.map((name, index) => {
    const equal = names.slice(0, index).map((other) => [other, last?.[other]])
    return { ...Object.fromEntries(equal), [name]: { gt: last?.[name] } }
  })
  const args: Args = {
    select: Object.fromEntries([...key, ...fields].map(({ field }) => [field, true])),
    orderBy: names.map((name) => ({ [name]: 'asc' })),
    take: PAGE,
    ...(last ? { where: { OR: after } } : {}),
  }
  return (await delegateOf(client, model)['findMany']?.(args)) as Row[]
}
