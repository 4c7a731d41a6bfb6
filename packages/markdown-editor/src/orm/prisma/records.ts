import type { RecordEntry } from '../../media/references/media-references.ts'
import { toText } from '../to-text.ts'
import { type Args, delegateOf, type OpenClient, type Row } from './client.ts'
import {
  keyOf,
  type PrismaModel,
  type PrismaModels,
  readModels,
  type TrackedModel,
} from './models.ts'

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
