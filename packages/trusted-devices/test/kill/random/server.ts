// A small application that tests kill. It loads its code, waits for a message, connects to the
// database, and answers with its port.
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mount } from '@quillgate/server/node'
import { createDevices } from '../../support/create-devices.ts'
import { connectAll } from '../received-event.ts'

export interface ServerOptions {
  readonly databaseUrl: string
  /** The file in which the receivers of the server record events, one per line. */
  readonly eventsFile: string
  /** The number of milliseconds by which the clock of the server is ahead. */
  readonly clockOffset: number
}

const COUNTRIES = ['DE', 'FR', 'JP']

async function start({ databaseUrl, eventsFile, clockOffset }: ServerOptions): Promise<number> {
  const devices = createDevices({
    secret: 'a secret of at least thirty-two bytes',
    database: databaseUrl,
    users: {
      findById: (id) => ({ id }),
      verifyCredentials: (username) => ({ id: username }),
    },
    // The user agent is the country.
    locate: (_address, { request }) => {
      const country = request.headers.get('user-agent') ?? ''
      return COUNTRIES.includes(country) ? { country, city: null } : null
    },
    receivers() {
      // Records the event before the outbox marks it as delivered, so that a kill in between cannot
      // lose the record.
      connectAll(devices.signals, (received) =>
        appendFileSync(eventsFile, `${JSON.stringify(received)}\n`),
      )
    },
    clock: () => Date.now() + clockOffset,
    settings: {
      ...{ outbox: true, outboxInterval: 0.02, outboxTimeout: 1, maxDevices: 4 },
      ...{ loginRateLimit: null, refreshRateLimit: null },
    },
    logger: { warn: () => {}, error: () => {} },
  })
  await devices.ready()
  const server = createServer(mount(devices.gate))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

process.once('message', (options) => {
  start(options as ServerOptions).then(
    (port) => process.send?.({ port }),
    (error: unknown) => process.send?.({ error: String(error) }),
  )
})
process.on('disconnect', () => process.exit())
