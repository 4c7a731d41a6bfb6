import { sqliteEngine } from '@quillgate/server/testing'
import {
  createTokenClient,
  type TokenClient,
  type TokenClientOptions,
} from '@quillgate/trusted-devices-client/token-client'
import { type House, openHouse } from '../../../trusted-devices/test/support/house.ts'
import { createTabFetch, type Traffic, type Weather } from './tab-network.ts'
import { TabWorld } from './tab-world.ts'

export const TABS = 8

const URL_OF_API = 'https://app.example/trusted-devices'

/** A network that loses no requests. */
export const FAIR: Weather = { lostRequests: 0, lostAnswers: 0, errors: 1, slowest: 200 }

/** Features of the browser. False means that the browser lacks the feature. */
export interface Lacking {
  readonly locks?: boolean
}

/** A user with eight tabs on a real server. The first tab has signed the user in. */
export interface EightTabs {
  readonly world: TabWorld
  readonly house: House
  readonly clients: readonly TokenClient[]
  readonly traffic: Traffic
  readonly signedOut: string[]
  weather: Weather
  /** Milliseconds by which the clock of the computer is ahead of the server's clock. */
  skew: number
  /** Starts a request in a tab. Does not wait for its end, because the request may never end. */
  call(tab: number): void
  /**
   * Returns the statuses of the requests since the last call. A request that ended in an error has
   * the status `failed`.
   */
  takeAnswers(): (number | 'failed')[]
  stored(): string
  /** Sends a refresh token without a tab, like a thief. */
  refresh(token: string): Promise<Response>
  close(): Promise<void>
}

export async function openEightTabs(
  seed: number,
  { locks = true }: Lacking = {},
  options: TokenClientOptions = {},
): Promise<EightTabs> {
  const house = await openHouse(sqliteEngine(), {})
  const start = house.clock()
  const world = new TabWorld(seed, (milliseconds) => house.clock.advance(milliseconds))
  const traffic: Traffic = { refreshes: 0, others: 0 }
  const signedOut: string[] = []
  const answers: (number | 'failed')[] = []
  const clients = Array.from({ length: TABS }, (_, tab) => {
    const client = createTokenClient({
      baseUrl: URL_OF_API,
      storage: world.storage,
      locks: locks ? world.locks(tab) : null,
      openChannel: () => world.channel(tab),
      fetch: createTabFetch(world, house.devices, tab, () => tabs.weather, traffic),
      clock: () => Math.floor(start + world.now + tabs.skew),
      wait: (milliseconds, signal) => world.wait(tab, milliseconds, signal),
      random: () => world.random(),
      ...options,
    })
    client.onSignedOut((reason) => signedOut.push(reason))
    return client
  })
  const tabs: EightTabs = {
    world,
    house,
    clients,
    traffic,
    signedOut,
    weather: FAIR,
    skew: 0,
    call(tab) {
      clients[tab]?.fetch(URL_OF_API).then(
        ({ status }) => answers.push(status),
        () => answers.push('failed'),
      )
    },
    takeAnswers: () => answers.splice(0),
    stored: () =>
      (JSON.parse(world.storage.getItem('quillgate.tokens') ?? 'null') as { refresh: string })
        .refresh,
    refresh: (token) =>
      house.devices.fetch(
        new Request(`${URL_OF_API}/token/refresh`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ refresh: token }),
        }),
        { address: '198.51.100.7' },
      ),
    async close() {
      for (const client of clients) client.close()
      await house.close()
    },
  }
  let done = false
  const login = clients[0]?.login('ada', 'pw').then(() => {
    done = true
  })
  await world.run(() => done)
  await login
  return tabs
}
