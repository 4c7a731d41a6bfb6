import {
  type TrackedReferences,
  type TrackingOptions,
  trackReferences,
} from '../media/references/track-references.ts'
import { dialectOfPrisma, type OpenClient, schemaOf } from './prisma/client.ts'
import { PrismaFollower } from './prisma/follow.ts'
import { type PrismaModel, type PrismaModels, readModels } from './prisma/models.ts'
import { createPrismaTransactions } from './prisma/transactions.ts'
import { createWriteFollower } from './prisma/writes.ts'

export type { Actor } from '../media/owner.ts'
export type { PrismaModel, PrismaModels } from './prisma/models.ts'
export { prismaRecords } from './prisma/records.ts'

/** What the adapter needs of an editor. */
export interface CleanupEditor {
  readonly references: TrackedReferences
}

/** Options of {@link prismaCleanup}. */
export interface PrismaCleanupOptions extends TrackingOptions {
  /**
   * The schema of PostgreSQL with the tables of models that name none.
   * @default the one that `PrismaPg` was given, or `public`
   */
  readonly schema?: string
}

/**
 * Makes a client of the same kind on the same connections: what is written through it takes care of its media. Both use
 * the same database, and `editor.ready()` comes first.
 *
 * Every operation of a model is followed, in a `$transaction` with its nested ones or each in one of its own; the texts
 * are read from the database, so that they count as what they became. Records that are written within the write of
 * another one are followed by what its relation has before and afterwards. Refused: changes of a key, and records of a
 * relation that are written and unlinked at once. What only the database knows (raw SQL, triggers, cascades) is not
 * followed: media of such records stay until `references.remove` is called.
 *
 * Of bulk writes the records are found first, then written by their keys; `createMany` is done by
 * `createManyAndReturn`. Extensions may come before or after: `$extends` of what this returns is followed too.
 *
 * @param client a client of Prisma 7 for SQLite, PostgreSQL or MariaDB
 * @param models the models with markdown, and their fields
 * @throws ConfigurationError for another kind of client or database, and for unknown models and fields
 * @example
 * const prisma = prismaCleanup(editor, new PrismaClient({ adapter }), { post: { fields: ['body'] } })
 * await prisma.post.update({ where: { id }, data: { body } })
 */
export function prismaCleanup<Client extends object>(
  editor: CleanupEditor,
  client: Client,
  models: PrismaModels<Client>,
  options: PrismaCleanupOptions = {},
): Client {
  const dialect = dialectOfPrisma(client)
  const known = readModels(client, models as Readonly<Record<string, PrismaModel | undefined>>)
  const [first] = known.tracked.values()
  const follower = new PrismaFollower({
    models: known,
    transactions: createPrismaTransactions(
      dialect,
      first?.table ?? '',
      trackReferences(editor.references, options),
    ),
    followWrite: createWriteFollower(dialect, options.schema ?? schemaOf(client, dialect)),
  })
  return follower.follow(client as unknown as OpenClient, null) as unknown as Client
}
