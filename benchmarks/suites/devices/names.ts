import { createQuillgate } from '@quillgate/server'
import { createTrustedDevices, type TrustedDevices } from '@quillgate/trusted-devices'
import type { Goal, Part } from '../../lib/report.ts'
import { spreadOf } from '../../lib/statistics.ts'

/**
 * The maximum probability that a comparison of response times reveals which name or device exists.
 * A guess has the probability 0.5. The limit of credentials is higher, because a query takes about
 * a microsecond more or less for an existing row. An attacker cannot guess the 74 random bits of a
 * uid.
 */
const limits = { name: 0.55, credential: 0.65 }

/** Measures whether the time of a rejected login reveals that a name or a device exists. */
export const names: Part = async ({ quick }) => {
  const users = new Map([['1', { id: '1', username: 'ada' }]])
  const gate = createQuillgate({
    secret: 'a secret of at least thirty-two bytes',
    database: 'sqlite::memory:',
  })
  const devices = createTrustedDevices(gate, {
    // These functions take almost no time, so that the measured time is Quillgate's own time.
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
      title: 'What the response time of a rejected login reveals',
      notes: [
        `${rounds} responses of POST /trusted-devices/token of each kind, in random order, in one process without a network.`,
        'A pair contains one response of each kind. The result is the share of pairs in which the same kind is slower. A guess has 0.5.',
        'The application checks passwords. In this benchmark, the check takes no time.',
      ],
      goals: [
        goalOf('an existing and an unknown name', byName.tell, limits.name),
        goalOf(
          'a forged credential of an existing and of an unknown device',
          byCredential.tell,
          limits.credential,
        ),
      ],
      details: {
        columns: ['', 'existing: median µs', 'unknown: median µs'],
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

/** Returns the milliseconds until the response arrives. */
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
  if (response.status !== 401)
    throw new Error(`The response to the login has the status ${response.status}.`)
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

/** Returns the share of pairs in which `a` is greater (the statistic of Mann and Whitney). */
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
