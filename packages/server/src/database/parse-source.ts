import { resolve } from 'node:path'
import type { Dialect as KyselyDialect } from 'kysely'
import { ConfigurationError } from '../core/errors.ts'
import { mariadbDialect } from './mariadb.ts'
import { pgliteDialect } from './pglite.ts'
import { postgresDialect } from './postgres.ts'
import { NodeSqliteDialect } from './sqlite.ts'
import type { Dialect } from './types.ts'

/** Checked options of a database, in milliseconds. */
export interface Limits {
  readonly poolSize: number
  readonly lockTimeout: number
  readonly connectTimeout: number
  readonly statementTimeout: number
}

/** The engine that a URL names. */
export interface ParsedSource {
  readonly dialect: Dialect
  readonly inner: KyselyDialect
  /** The database, for errors: without user and password. */
  readonly where: string
}

/**
 * Reads the URL of a database.
 *
 * @throws ConfigurationError that shows the correction. A URL with a host is never quoted: it may
 * hold a password
 */
export function parseSource(source: string, limits: Limits): ParsedSource {
  const scheme = /^[a-z]+(?=:)/.exec(source)?.[0]
  const rest = source.slice((scheme?.length ?? 0) + 1)
  switch (scheme) {
    case 'sqlite': {
      const path = sqlitePath(rest)
      const inner = new NodeSqliteDialect({ path, lockTimeout: limits.lockTimeout })
      return { dialect: 'sqlite', inner, where: `sqlite:${path}` }
    }
    case 'pglite': {
      const path = rest === 'memory' ? rest : filePath(scheme, rest, 'pglite:memory')
      return { dialect: 'postgres', inner: pgliteDialect(path), where: `pglite:${path}` }
    }
    case 'postgres':
    case 'postgresql':
      return {
        dialect: 'postgres',
        inner: postgresDialect(checkUrl(source, scheme), limits),
        where: placeOf(source),
      }
    case 'mysql':
    case 'mariadb':
      return {
        dialect: 'mariadb',
        inner: mariadbDialect(checkUrl(source, scheme), limits),
        where: placeOf(source),
      }
    default:
      throw unknownScheme(source, scheme)
  }
}

function sqlitePath(rest: string): string {
  return rest === ':memory:' ? rest : filePath('sqlite', rest, 'sqlite::memory:')
}

/**
 * `sqlite:./a` and `sqlite:///a` alike; relative to the folder in which the process was started.
 */
function filePath(scheme: string, rest: string, memory: string): string {
  const path = rest.replace(/^\/\//, '')
  const example = `${scheme}:./data/${scheme === 'sqlite' ? 'app.sqlite' : 'pglite'}`
  if (path === '')
    throw new ConfigurationError('database', `must name a file, for example "${example}"`)
  // Valid file name, but almost always a mistake.
  if (/^:*memory:*$/i.test(path.trim())) {
    const correction = `must be "${memory}" for a database in memory, or "${scheme}:./memory" for a file`
    throw new ConfigurationError('database', correction, `${scheme}:${rest}`)
  }
  if (/^:|^\s|\s$|^[a-z]{2,}:/i.test(path)) {
    throw new ConfigurationError(
      'database',
      `must be "${scheme}:" and a path, for example "${example}"`,
      shown(rest),
    )
  }
  return resolve(path)
}

/** The path after a wrong scheme may be a URL with a password. */
function shown(rest: string): string | undefined {
  return /@|:\/\/|password/i.test(rest) ? undefined : rest
}

/** The URL itself is never shown: it may hold a password. */
function checkUrl(source: string, scheme: string): string {
  if (!source.startsWith(`${scheme}://`) || !URL.canParse(source))
    throw new ConfigurationError('database', `must be a URL such as ${scheme}://user@host/name`)
  return source
}

/**
 * Scheme, host and name of a database. After a password with a bare `/`, what looks like these is a
 * part of it.
 */
function placeOf(source: string): string {
  const { protocol, host, pathname, search, hash } = new URL(source)
  return (pathname + search + hash).includes('@')
    ? `${protocol}//…`
    : `${protocol}//${host}${pathname}`
}

function unknownScheme(source: string, scheme: string | undefined): ConfigurationError {
  const wanted = 'must begin with sqlite:, postgres://, mysql:// or pglite:'
  if (/^[\w./~-]+\.(?:sqlite3?|db)$/i.test(source)) {
    const path = /^[./~]/.test(source) ? source : `./${source}`
    return new ConfigurationError('database', `${wanted}. Write "sqlite:${path}"`, source)
  }
  return new ConfigurationError('database', wanted, scheme)
}
