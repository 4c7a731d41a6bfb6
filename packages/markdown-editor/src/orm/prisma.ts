import type { Dialect, Row, SqlExecutor } from '@quillgate/server/database'
import { createExecutor } from './executor.ts'

/** The methods that the executor calls on a Prisma client or an interactive transaction. */
interface PrismaTransaction {
  $queryRawUnsafe<Result = unknown>(query: string, ...values: unknown[]): PromiseLike<Result>
  $executeRawUnsafe(query: string, ...values: unknown[]): PromiseLike<number>
}

/**
 * Returns an executor for an interactive transaction of Prisma, for the option `tx` of
 * `references.set`.
 *
 * @param transaction the argument of the callback of `$transaction`
 * @param dialect the kind of database, which a Prisma client does not expose
 * @example
 * const { removed } = await prisma.$transaction(async (tx) => {
 *   await tx.post.update({ where: { id }, data: { body } })
 *   return editor.references.set({ type: 'post', id }, { body }, { tx: prismaExecutor(tx, 'postgres'), actor })
 * })
 * await editor.references.settle(removed, { actor })
 */
export function prismaExecutor(transaction: PrismaTransaction, dialect: Dialect): SqlExecutor {
  return createExecutor(dialect, {
    query: async (sql, params) => transaction.$queryRawUnsafe<Row[]>(sql, ...params),
    execute: async (sql, params) => Number(await transaction.$executeRawUnsafe(sql, ...params)),
  })
}
