import {
  type ServerHouse as House,
  openServerHouse as open,
} from '../../../../../tests/support/server-house.ts'
import type { ServerOptions } from './server.ts'

/** A set of processes, each of which runs a server with trusted devices. */
export type ServerHouse = House<ServerOptions>

const EXTERNAL = ['pg', 'mysql2', 'maxmind', '@electric-sql/pglite', 'ioredis']

export function openServerHouse(): Promise<ServerHouse> {
  return open(new URL('server.ts', import.meta.url), 'devices', EXTERNAL)
}
