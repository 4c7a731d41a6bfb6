import {
  type ServerHouse as House,
  openServerHouse as open,
} from '../../../../../tests/support/server-house.ts'
import type { ServerOptions } from './server.ts'

/** Starts servers of devices. */
export type ServerHouse = House<ServerOptions>

const EXTERNAL = ['pg', 'mysql2', 'maxmind', '@electric-sql/pglite', 'ioredis']

export function openServerHouse(): Promise<ServerHouse> {
  return open(new URL('server.ts', import.meta.url), 'devices', EXTERNAL)
}
