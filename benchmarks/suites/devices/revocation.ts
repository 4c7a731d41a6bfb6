import { postgresEngine, testServers, whyUnavailable } from '@quillgate/server/testing'
import { Isolate } from '../../lib/isolate.ts'
import type { Goal, Part } from '../../lib/report.ts'
import type { NodeOptions } from './revocation.isolate.ts'

const isolate = new URL('./revocation.isolate.ts', import.meta.url)
const redis = process.env['QUILLGATE_TEST_REDIS_URL'] ?? 'redis://127.0.0.1:6379'
/** Milliseconds. */
const limits = { p50: 5, p99: 50 }
/** For the nodes with a channel: far longer than a run, so that only a message can be the cause. */
const longTtl = 3600
const shortTtl = 1
/** Milliseconds that the next request may take to come, be served and be told of, on a busy machine. */
const asking = 100

/** After how long a revocation on one node is seen on another. */
export const revocation: Part = async ({ quick }) => {
  const { postgres } = testServers()
  const unavailable = await whyUnavailable(postgres)
  if (unavailable !== null) throw new Error(`PostgreSQL does not answer: ${unavailable}`)
  const rounds = quick ? 50 : 500
  const notify = await measure('NOTIFY', longTtl, rounds)
  const byRedis = await measure('Redis', longTtl, rounds)
  const without = await measure('none', shortTtl, quick ? 3 : 20)
  return {
    title: 'A revocation on one node, seen on another',
    notes: [
      'Two processes on one PostgreSQL; the second one has just remembered the device, and asks every millisecond.',
      'From the moment when `revoke` was through to the first request that is refused; 0 when that came first.',
      `With a channel deviceCacheTtl is ${longTtl} s, without one ${shortTtl} s (5 s by default).`,
    ],
    goals: [
      ...goalsOf('NOTIFY', notify.done),
      ...goalsOf('Redis', byRedis.done),
      goal(
        'deviceCacheTtl alone: all',
        `≤ ${shortTtl * 1000} + ${asking} ms`,
        Math.max(...without.done),
        shortTtl * 1000 + asking,
      ),
    ],
    details: {
      columns: [
        'channel',
        'revocations',
        'p50',
        'p99',
        'longest',
        'p50 since the call',
        'p99 since the call',
      ],
      rows: Object.entries({ NOTIFY: notify, Redis: byRedis, none: without }).map(
        ([name, { began, done }]) => [
          name,
          String(done.length),
          ...[quantile(done, 0.5), quantile(done, 0.99), Math.max(...done)].map(ms),
          ...[quantile(began, 0.5), quantile(began, 0.99)].map(ms),
        ],
      ),
    },
  }
}

/** Milliseconds since a revocation began, and since it was done; one of each for each. */
interface Since {
  readonly began: readonly number[]
  readonly done: readonly number[]
}

async function measure(
  channel: NodeOptions['channel'],
  deviceCacheTtl: number,
  rounds: number,
): Promise<Since> {
  const fixture = await postgresEngine(testServers().postgres).open()
  const [here, there] = [0, 1].map(
    () => new Isolate<typeof import('./revocation.isolate.ts')>(isolate),
  ) as [
    Isolate<typeof import('./revocation.isolate.ts')>,
    Isolate<typeof import('./revocation.isolate.ts')>,
  ]
  try {
    const options = { url: fixture.url, channel, redis, deviceCacheTtl }
    await here.call('open', options)
    await there.call('open', options)
    const since = { began: [] as number[], done: [] as number[] }
    for (let round = 0; round < rounds; round++) {
      const { uid, cookie } = await here.call('signIn')
      if (!(await there.call('isSignedIn', cookie))) throw new Error('Nobody is signed in.')
      const seen = there.call('watch', cookie)
      const { began, done } = await here.call('revoke', uid)
      const at = await seen
      since.done.push(Math.max(0, at - done))
      since.began.push(at - began)
    }
    return since
  } finally {
    here.stop()
    there.stop()
    await fixture.close()
  }
}

function goalsOf(name: string, times: readonly number[]): Goal[] {
  return Object.entries(limits).map(([rank, limit]) =>
    goal(`${name}: ${rank}`, `≤ ${limit} ms`, quantile(times, Number(rank.slice(1)) / 100), limit),
  )
}

function goal(what: string, limit: string, measured: number, most: number): Goal {
  return {
    what: `Revocation by ${what}`,
    goal: limit,
    measured: ms(measured),
    passed: measured <= most,
  }
}

function quantile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

function ms(time: number): string {
  return `${time.toFixed(1)} ms`
}
