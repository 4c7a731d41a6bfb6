import { type Dialect as KyselyDialect, PGliteDialect } from 'kysely'
import { loadPackage } from '../core/load-package.ts'
import { fromBigInt } from './values.ts'

const BIGINT = 20

/**
 * Kysely on PGlite, PostgreSQL in this process.
 *
 * @param path folder of the data, or `memory`
 */
export function pgliteDialect(path: string): KyselyDialect {
  return new PGliteDialect({
    pglite: async () => {
      const { PGlite } = await loadPackage(
        '@electric-sql/pglite',
        'PGlite',
        () => import('@electric-sql/pglite'),
      )
      return PGlite.create(path === 'memory' ? 'memory://' : path, {
        parsers: { [BIGINT]: fromBigInt },
      })
    },
  })
}
