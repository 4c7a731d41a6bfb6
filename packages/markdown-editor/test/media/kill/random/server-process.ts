import {
  type ServerHouse as House,
  openServerHouse as open,
} from '../../../../../../tests/support/server-house.ts'
import type { ServerOptions } from './server.ts'

export type { RunningServer } from '../../../../../../tests/support/server-house.ts'

/** Starts and kills server processes of a small application with the editor. */
export type ServerHouse = House<ServerOptions>

const EXTERNAL = [
  'pg',
  'mysql2',
  'better-sqlite3',
  'markdown-it',
  'highlight.js',
  '@electric-sql/pglite',
]

export function openServerHouse(): Promise<ServerHouse> {
  return open(new URL('server.ts', import.meta.url), 'server', EXTERNAL)
}
