import { createQuillgate, type Quillgate, type RequestContext } from '@quillgate/server'
import { availableEngines, type TestEngine } from '@quillgate/server/testing'
import { createTrustedDevices, type TrustedDevices } from '@quillgate/trusted-devices'
import { createMemoryUsers } from '@quillgate/trusted-devices/testing'
import { addDevices } from '../../../packages/trusted-devices/test/support/many-devices.ts'
import { cpuTimeOf } from '../../lib/cpu-time.ts'
import type { Goal, Part } from '../../lib/report.ts'
import { spreadOf } from '../../lib/statistics.ts'

const SIZES = [100, 1000, 10_000] as const
/**
 * The maximum cost per device with the most devices, as a multiple of the cost with 1,000 devices.
 */
const LINEAR = 1.5
const PAGE = 100

/** Measures a list, a login and revoke-all for users with many devices. */
export const many: Part = async ({ quick }) => {
  const missing: string[] = []
  const engines = await availableEngines((name, reason) =>
    missing.push(`${name} was not measured, because it does not answer (${reason}).`),
  )
  const measured: Measured[] = []
  for (const engine of engines)
    for (const size of SIZES) measured.push(await measure(engine, size, quick ? 2 : 7))
  for (const engine of engines) await engine.close()
  return {
    title: 'A user with many devices',
    notes: [
      'CPU time of the process and elapsed time, both as medians. Except SQLite, the database runs in another process.',
      `Page is the last page of the list with ${PAGE} devices. Login is a login of a new browser. Two receivers are connected.`,
      ...missing,
    ],
    goals: engines.map(({ name }) => goalOf(name, measured)),
    details: {
      columns: ['database', 'devices', 'page', 'login', 'revoke-all', 'revoke-all per device'],
      rows: measured.map(({ engine, size, page, login, revokeAll }) => [
        engine,
        size.toLocaleString('en'),
        shown(page),
        shown(login),
        shown(revokeAll),
        `${((revokeAll.cpu / size) * 1000).toFixed(0)} µs`,
      ]),
    },
  }
}

/** The CPU time and the elapsed time of a call, in ms. */
interface Cost {
  readonly cpu: number
  readonly clock: number
}

interface Measured {
  readonly engine: TestEngine['name']
  readonly size: number
  readonly page: Cost
  readonly login: Cost
  readonly revokeAll: Cost
}

async function measure(engine: TestEngine, size: number, rounds: number): Promise<Measured> {
  const test = await engine.open()
  const users = createMemoryUsers([{ id: '1', username: 'ada', password: 'pw' }])
  const gate = createQuillgate({
    secret: 'a secret of at least thirty-two bytes',
    database: test.url,
  })
  const devices = createTrustedDevices(gate, {
    users,
    settings: { loginRateLimit: null },
  })
  devices.signals.deviceCreated.connect(() => {})
  devices.signals.deviceRevoked.connect(() => {})
  try {
    await gate.ready()
    const sql = test.database.executor(test.database.kysely)
    const costs: { page: Cost; login: Cost; revokeAll: Cost }[] = []
    for (let round = 0; round <= rounds; round++) {
      await addDevices(
        { sql, clock: Object.assign(() => Date.now(), { advance() {}, set() {} }) },
        '1',
        size,
      )
      const cursor = await lastCursor(devices)
      costs.push({
        page: await costOf(() => devices.registry.list('1', { limit: PAGE, cursor })),
        login: await costOf(() =>
          devices.login({ id: '1' }, context(gate), { transport: 'bearer' }),
        ),
        revokeAll: await costOf(() => devices.registry.revokeAll('1')),
      })
      await devices.users.deleted('1')
    }
    const warm = costs.slice(1)
    const of = (name: 'page' | 'login' | 'revokeAll'): Cost => ({
      cpu: spreadOf(warm.map((cost) => cost[name].cpu)).median,
      clock: spreadOf(warm.map((cost) => cost[name].clock)).median,
    })
    return {
      engine: engine.name,
      size,
      page: of('page'),
      login: of('login'),
      revokeAll: of('revokeAll'),
    }
  } finally {
    await gate.close()
    await test.close()
  }
}

async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  const start = performance.now()
  const cpu = await cpuTimeOf(async () => {
    await work()
  })
  return { cpu, clock: performance.now() - start }
}

async function lastCursor(devices: TrustedDevices): Promise<string | null> {
  let last: string | null = null
  let next: string | null = null
  do {
    last = next
    next = (await devices.registry.list('1', { limit: PAGE, cursor: last })).nextCursor
  } while (next !== null)
  return last
}

function context({ parts }: Quillgate): RequestContext {
  const request = new Request('http://localhost/login', { method: 'POST' })
  return parts.contexts.open(request, { address: '203.0.113.10' })
}

function goalOf(engine: string, measured: readonly Measured[]): Goal {
  const of = (size: number): number => {
    const found = measured.find((each) => each.engine === engine && each.size === size)
    return (found?.revokeAll.cpu ?? Number.NaN) / size
  }
  const growth = of(SIZES[2]) / of(SIZES[1])
  return {
    what: `${engine}: CPU time of revoke-all per device, with ${SIZES[2].toLocaleString('en')} devices compared with ${SIZES[1].toLocaleString('en')}`,
    goal: `≤ ${LINEAR}× (linear)`,
    measured: `${growth.toFixed(2)}×`,
    passed: growth <= LINEAR,
  }
}

function shown({ cpu, clock }: Cost): string {
  return `${cpu.toFixed(1)} ms CPU, ${clock.toFixed(1)} ms`
}
