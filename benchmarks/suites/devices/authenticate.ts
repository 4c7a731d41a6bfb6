import {
  postgresEngine,
  sqliteEngine,
  type TestEngine,
  testServers,
  whyUnavailable,
} from '@quillgate/server/testing'
import { type Comparison, compare } from '../../lib/compare.ts'
import type { Goal, Part } from '../../lib/report.ts'
import type { Spread } from '../../lib/statistics.ts'

const isolate = new URL('./authenticate.isolate.ts', import.meta.url)
const callsOfStep = 200 // Must be equal to `callsPerRepeat` in authenticate.isolate.ts.
const jose = 'jose'
const bare = 'bare pg'
const ours = ['bearer', 'cookie']
const most = 3

/** Compares `authenticate` with a verification of the same JWT by `jose`. */
export const authenticate: Part = async ({ quick }) => {
  const { postgres } = testServers()
  const unavailable = await whyUnavailable(postgres)
  const engines = [sqliteEngine(), ...(unavailable === null ? [postgresEngine(postgres)] : [])]
  const effort = { rounds: quick ? 5 : 21, sample: quick ? 100 : 300, warmUp: quick ? 500 : 2000 }
  const measured: Measured[] = []
  for (const engine of engines) {
    const fixture = await engine.open()
    const names = [jose, ...(engine.name === 'postgres' ? [bare] : []), ...ours]
    process.env['QUILLGATE_BENCH_DATABASE'] = fixture.url
    try {
      measured.push({
        engine: engine.name,
        names,
        comparison: await compare(isolate, names, effort),
      })
    } finally {
      await fixture.close()
    }
  }
  return {
    title: 'devices.authenticate(context) compared with jwtVerify of the same JWT',
    notes: [
      'Each contender runs in its own process, with compiled code, in turns. CPU time of all its threads. Medians of the pairs (quartiles).',
      'Each call has its own request, whose creation is not measured. The user is in a map.',
      ...(unavailable === null
        ? []
        : [`PostgreSQL was not measured, because it does not answer (${unavailable}).`]),
    ],
    goals: measured.flatMap((each) => ours.map((name) => goalOf(each, name))),
    details: {
      columns: ['database', 'contender', 'CPU per call', 'multiple of jose (quartiles)'],
      rows: measured.flatMap(({ engine, names, comparison }) =>
        names.map((name) => [
          engine,
          name,
          micros(comparison.time(name)),
          times(comparison.speed(jose, name)),
        ]),
      ),
    },
  }
}

interface Measured {
  readonly engine: TestEngine['name']
  readonly names: readonly string[]
  readonly comparison: Comparison
}

/**
 * Returns the goal of a contender. With a database server, one query of `pg` takes as long as two
 * to four verifications. The contender is then compared with the sum of one verification and one
 * query.
 */
function goalOf({ names, engine, comparison }: Measured, name: string): Goal {
  const isServer = names.includes(bare)
  const ours = comparison.time(name).median
  const byHand = comparison.time(jose).median + (isServer ? comparison.time(bare).median : 0)
  const cost = isServer ? ours / byHand : comparison.speed(jose, name).median
  return {
    what: `${engine}: ${name}, as a multiple of jose${isServer ? ' and one query of pg' : ''}`,
    goal: `≤ ${most.toFixed(1)}×`,
    measured: `${cost.toFixed(2)}×`,
    passed: cost <= most,
  }
}

function micros({ median }: Spread): string {
  return `${((median / callsOfStep) * 1000).toFixed(0)} µs`
}

function times({ median, low, high }: Spread): string {
  return `${median.toFixed(2)}× (${low.toFixed(2)}–${high.toFixed(2)})`
}
