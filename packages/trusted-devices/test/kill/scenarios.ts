import { BearerClient } from '../support/client.ts'
import type { TestSettings } from '../support/create-devices.ts'
import type { Application } from './application.ts'

/** The state of a client that has signed in. */
export type Kept = Pick<BearerClient, 'access' | 'refresh' | 'uid' | 'credential' | 'address'>

/** An action of an application during which its process is killed. */
export interface Scenario {
  readonly name: string
  readonly settings?: TestSettings
  /** Prepares the action in a process that is not killed. @returns clients that have signed in */
  prepare?(application: Application): Promise<Kept[]>
  /** Prepares the action in a process whose receivers throw. The outbox then contains events. */
  leave?(application: Application): Promise<void>
  /** The action. In half of the trials, the user repeats it. */
  run(application: Application, clients: readonly Kept[]): Promise<unknown>
}

const BERLIN = '203.0.113.10'
const TOKYO = '192.0.2.44'
const DAY = 86_400_000

async function signIn({ devices }: Application, address = BERLIN, username = 'ada'): Promise<Kept> {
  const client = new BearerClient(devices, address)
  const { status } = await client.login(username)
  if (status !== 200) throw new Error(`The login was answered ${status}.`)
  const { access, refresh, uid, credential } = client
  return { access, refresh, uid, credential, address }
}

function clientOf({ devices }: Application, kept: Kept | undefined): BearerClient {
  return Object.assign(new BearerClient(devices), kept)
}

const signInTimes =
  (times: number) =>
  async (application: Application): Promise<Kept[]> => {
    const clients: Kept[] = []
    for (let time = 0; time < times; time++) {
      clients.push(await signIn(application))
      application.clock.advance(1000)
    }
    return clients
  }

export const scenarios: readonly Scenario[] = [
  { name: 'first login', run: (application) => signIn(application) },
  {
    name: 'login from a new country',
    prepare: signInTimes(1),
    run: (application) => signIn(application, TOKYO),
  },
  {
    name: 'login that evicts',
    settings: { maxDevices: 2 },
    prepare: signInTimes(2),
    run: (application) => signIn(application, TOKYO),
  },
  {
    name: 'login that finds stale devices',
    async prepare(application) {
      const clients = await signInTimes(2)(application)
      application.clock.advance(91 * DAY)
      return clients
    },
    run: (application) => signIn(application),
  },
  {
    name: 'revoking one device by another',
    prepare: signInTimes(2),
    run: (application, [first, second]) =>
      clientOf(application, first).send('DELETE', `/trusted-devices/${second?.uid}`),
  },
  {
    name: 'logout',
    prepare: signInTimes(2),
    run: (application, [first]) =>
      clientOf(application, first).send('POST', '/trusted-devices/logout'),
  },
  {
    name: 'revoke-all',
    prepare: signInTimes(3),
    run: (application, [first]) =>
      clientOf(application, first).send('POST', '/trusted-devices/revoke-all', { json: {} }),
  },
  {
    name: 'cleanup',
    async prepare(application) {
      await signInTimes(2)(application)
      await signIn(application, BERLIN, 'grace')
      application.clock.advance(91 * DAY)
      return []
    },
    run: ({ devices }) => devices.registry.cleanup(),
  },
  {
    name: 'a deleted user',
    prepare: signInTimes(2),
    run: ({ devices }) => devices.users.deleted('1'),
  },
  {
    name: 'a stolen refresh token',
    settings: { refreshGrace: 0 },
    async prepare(application) {
      const [stolen] = await signInTimes(1)(application)
      const owner = clientOf(application, stolen)
      for (let time = 0; time < 2; time++) {
        await owner.refreshTokens()
        await owner.send('GET', '/trusted-devices')
        application.clock.advance(1000)
      }
      return stolen ? [stolen] : []
    },
    run: (application, [stolen]) => clientOf(application, stolen).refreshTokens(),
  },
  {
    name: 'relaying what another process left',
    prepare: signInTimes(2),
    async leave({ devices, clock }) {
      await devices.registry.revokeAll('1')
      clock.advance(3_600_000)
    },
    run: ({ devices }) => devices.outbox.deliver(),
  },
  {
    name: 'a login behind what is left',
    prepare: signInTimes(1),
    leave: async ({ devices }) => void (await devices.registry.revokeAll('1')),
    run: (application) => signIn(application),
  },
  {
    name: 'replaying what was given up',
    settings: { outboxAttempts: 1 },
    prepare: signInTimes(1),
    leave: async ({ devices }) => void (await devices.registry.revokeAll('1')),
    async run({ devices }) {
      await devices.outbox.replay({ everything: true })
      await devices.outbox.deliver()
    },
  },
]
