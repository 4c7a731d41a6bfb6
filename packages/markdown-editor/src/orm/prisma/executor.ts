import { type Dialect, type Row, type SqlExecutor, toParameters } from '@quillgate/server/database'
import type { OpenClient } from './client.ts'

/** Sees a transaction of Prisma as plain SQL. */
export function createPrismaExecutor(tx: OpenClient, dialect: Dialect): SqlExecutor {
  return {
    dialect,
    query: async (sql, params = []) =>
      (await tx.$queryRawUnsafe(sql, ...toParameters(dialect, params))) as Row[],
    async execute(sql, params = []) {
      return { affected: Number(await tx.$executeRawUnsafe(sql, ...toParameters(dialect, params))) }
    },
  }
}
