import { createQuillgate } from '@quillgate/server'
import { createTrustedDevices, type TrustedDevices } from '@quillgate/trusted-devices'
import type { Goal, Part } from '../../lib/report.ts'
import { spreadOf } from '../../lib/statistics.ts'

/**
 * The limits for how well the time of one answer reveals its kind. Guessing reaches 0.5. A database
 * takes about a microsecond more or less for existing rows. The 74 random bits of a uid cannot be
 * guessed.
 */
const limits = { name: 0.55, credential: 0.65 }

/**
 * Measures whether the time of a rejected login reveals if a name, or the device of a credential,
 * exists.
 */
export const names: Part = async ({ quick }) => {
  const users = new Map([['1', { id: '1', username: 'ada' }]])
  const gate = createQuillgate({
    secret: 'a secret of at least thirty-two bytes',
    database: 'sqlite::memory:',
  })
  const devices = createTrustedDevices(gate, {
    // As fast as possible for all names, so that the rest is our own time.
    users: { findById: (id) => users.get(id), verifyCredentials: () => null },
    settings: { loginRateLimit: '900000000/hour' },
  })
  try {
    const login = await devices.login({ id: '1' }, new Request('http://x/'), {
      transport: 'bearer',
    })
    const credential = login.tokens?.deviceCredential ?? ''
    const rounds = quick ? 2000 : 20_000
    const byName = await compare(rounds, [
      () => timeOf(devices, 'ada'),
      () => timeOf(devices, 'eve'),
    ])
    const forged = (): string => `${credential.slice(0, -8)}AAAAAAAA`
    const strange = (): string =>
      Buffer.from(credential, 'base64url').fill(7, 10).toString('base64url')
    const byCredential = await compare(rounds, [
      () => timeOf(devices, 'ada', forged()),
      () => timeOf(devices, 'ada', strange()),
    ])
    return {
      title: 'What the time of a refused login tells',
      notes: [
        `${rounds} answers of POST /trusted-devices/token of each kind, in turns by chance, in one process without a network.`,
        'The figure: of two answers, one of each kind, how often the slower one is of the same kind (a coin: 0.5).',
        'The check of passwords itself is the application’s; here it takes no time.',
      ],
      goals: [
        goalOf('a name that exists, and one that does not', byName.tell, limits.name),
        goalOf(
          'a forged credential of a device that exists, and of none',
          byCredential.tell,
          limits.credential,
        ),
      ],
      details: {
        columns: ['', 'median µs', 'the other: median µs'],
        rows: [
          ['names', micro(byName.times[0]), micro(byName.times[1])],
          ['credentials', micro(byCredential.times[0]), micro(byCredential.times[1])],
        ],
      },
    }
  } finally {
    await gate.close()
  }
}

/** Milliseconds until the answer arrives. */
async function timeOf(
  devices: TrustedDevices,
  username: string,
  credential?: string,
): Promise<number> {
  const body = {
    username,
    password: 'wrong',
    ...(credential === undefined ? {} : { device_credential: credential }),
  }
  const request = new Request('http://localhost/trusted-devices/token', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const start = performance.now()
  const response = await devices.gate.fetch(request, { address: '203.0.113.1' })
  const time = performance.now() - start
  if (response.status !== 401) throw new Error(`The login was answered with ${response.status}.`)
  return time
}

type Pair<Value> = readonly [Value, Value]

async function compare(
  rounds: number,
  kinds: Pair<() => Promise<number>>,
): Promise<{ tell: number; times: Pair<readonly number[]> }> {
  for (let index = 0; index < 500; index++) await kinds[index % 2 === 0 ? 0 : 1]()
  const times: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    const first = Math.random() < 0.5 ? 0 : 1
    const second = first === 0 ? 1 : 0
    times[first].push(await kinds[first]())
    times[second].push(await kinds[second]())
  }
  const slower = probabilityOfSlower(times[0], times[1])
  return { tell: Math.max(slower, 1 - slower), times }
}

/** The statistic of Mann and Whitney: the share of pairs in which `a` is greater. */
function probabilityOfSlower(a: readonly number[], b: readonly number[]): number {
  const sorted = b.toSorted((x, y) => x - y)
  let below = 0
  for (const value of a) {
    let [low, high] = [0, sorted.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sorted[middle] ?? 0) < value) low = middle + 1
      else high = middle
    }
    below += low
  }
  return below / (a.length * b.length)
}

function goalOf(what: string, measured: number, limit: number): Goal {
  return { what, goal: `≤ ${limit}`, measured: measured.toFixed(3), passed: measured <= limit }
}

function micro(times: readonly number[]): string {
  return (spreadOf(times).median * 1000).toFixed(0)
}
