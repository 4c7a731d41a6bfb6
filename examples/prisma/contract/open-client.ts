import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3'
import { PrismaMariaDb } from '@prisma/adapter-mariadb'
import { PrismaPg } from '@prisma/adapter-pg'
import { PrismaClient as MariadbClient } from '../generated/mariadb/client.ts'
import { PrismaClient as PostgresClient } from '../generated/postgres/client.ts'
import { PrismaClient as SqliteClient } from '../generated/sqlite/client.ts'

export { type Prisma, PrismaClient } from '../generated/postgres/client.ts'

/** @param schema the schema of a PostgreSQL database; ignored for other databases */
export function openClient(url: string, schema?: string): PostgresClient {
  if (url.startsWith('postgres')) {
    const adapter = new PrismaPg(
      { connectionString: url, max: 5 },
      schema === undefined ? {} : { schema },
    )
    return new PostgresClient({ adapter })
  }
  if (url.startsWith('mysql')) {
    const adapter = new PrismaMariaDb(url.replace(/^mysql:/, 'mariadb:'))
    return new MariadbClient({ adapter }) as unknown as PostgresClient
  }
  const adapter = new PrismaBetterSqlite3({ url: url.replace(/^sqlite:/, 'file:') })
  return new SqliteClient({ adapter }) as unknown as PostgresClient
}
