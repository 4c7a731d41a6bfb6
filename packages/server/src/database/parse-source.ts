import { resolve } from 'node:path'
import type { Dialect as KyselyDialect } from 'kysely'
import { ConfigurationError } from '../core/errors.ts'
import type { Limits } from './database-options.ts'
import { mariadbDialect } from './mariadb.ts'
import { pgliteDialect, postgresDialect } from './postgres.ts'
import { sqliteDialect } from './sqlite.ts'
import type { Dialect } from './types.ts'

const WANTED = 'must begin with sqlite:, postgres://, mysql:// or pglite:'

interface ParsedSource {
  readonly dialect: Dialect
  readonly inner: KyselyDialect
}

/** @throws ConfigurationError. It never quotes a URL with a host, which may contain a password */
export function parseSource(source: string, limits: Limits): ParsedSource {
  const scheme = /^[a-z]+(?=:)/.exec(source)?.[0]
  const rest = source.slice((scheme?.length ?? 0) + 1)
  switch (scheme) {
    case 'sqlite': {
      const path = rest === ':memory:' ? rest : filePath('sqlite', rest)
      return { dialect: 'sqlite', inner: sqliteDialect(path, limits) }
    }
    case 'pglite': {
      const path = rest === 'memory' ? rest : filePath('pglite', rest)
      return { dialect: 'postgres', inner: pgliteDialect(path) }
    }
    case 'postgres':
    case 'postgresql': {
      const where = placeOf(source, scheme)
      return { dialect: 'postgres', inner: postgresDialect(source, where, limits) }
    }
    case 'mysql':
    case 'mariadb': {
      const where = placeOf(source, scheme)
      return { dialect: 'mariadb', inner: mariadbDialect(source, where, limits) }
    }
    default:
      throw new ConfigurationError('database', WANTED, scheme)
  }
}

const FILES = {
  sqlite: '"sqlite:" and a path, for example "sqlite:./data/app.sqlite", or "sqlite::memory:"',
  pglite: '"pglite:" and a path, for example "pglite:./data/pglite", or "pglite:memory"',
} as const

// Accepts `./a`, `/a` and `///a`.
function filePath(scheme: keyof typeof FILES, rest: string): string {
  const path = rest.replace(/^\/\//, '')
  // Some of these are valid file names, but almost always mistakes.
  const isMistake = path !== path.trim() || /^$|^:|^[a-z]{2,}:|^memory$/i.test(path)
  // The path is not shown, because it may be another URL with a password.
  if (isMistake) throw new ConfigurationError('database', `must be ${FILES[scheme]}`)
  return resolve(path)
}

// For error messages. If a password contains an unencoded `/`, the apparent host and name are parts
// of the password and are left out.
function placeOf(source: string, scheme: string): string {
  if (!source.startsWith(`${scheme}://`) || !URL.canParse(source))
    throw new ConfigurationError('database', `must be a URL such as ${scheme}://user@host/name`)
  const { protocol, host, pathname, search, hash } = new URL(source)
  return (pathname + search + hash).includes('@')
    ? `${protocol}//…`
    : `${protocol}//${host}${pathname}`
}
