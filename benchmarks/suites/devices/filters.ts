import { createQuillgate } from '@quillgate/server'
import type { SqlExecutor } from '@quillgate/server/database'
import { availableEngines, type TestEngine } from '@quillgate/server/testing'
import {
  createTrustedDevices,
  type DeviceFilter,
  type TrustedDevices,
} from '@quillgate/trusted-devices'
import type { Goal, Part } from '../../lib/report.ts'

const DEVICES_PER_USER = 5
/** Each filter matches one in this many devices. */
const RARE = 1000
const MOST_MEMORY = 100 // The maximum memory in MB that a run may add for any number of devices.

const FILTERS: Readonly<Record<string, DeviceFilter>> = {
  country: { country: 'JP' },
  'no country': { country: null },
}

export const filters: Part = async ({ quick }) => {
  const count = quick ? 50_000 : 1_000_000
  const missing: string[] = []
  const engines = await availableEngines((name, reason) =>
    missing.push(`${name} was not measured, because it does not answer (${reason}).`),
  )
  const measured: Measured[] = []
  for (const engine of engines) measured.push(...(await measure(engine, count)))
  for (const engine of engines) await engine.close()
  return {
    title: `Filters on ${count.toLocaleString('en')} devices of ${(count / DEVICES_PER_USER).toLocaleString('en')} users`,
    notes: [
      `Elapsed time. Each filter selects one of ${RARE.toLocaleString('en')} devices, each of another user. A receiver is connected.`,
      'Memory is the maximum resident memory of the process, minus its memory before.',
      ...missing,
    ],
    goals: measured.map(goalOf),
    details: {
      columns: [
        'database',
        'filter',
        'selected',
        'dry run',
        'first page',
        'middle page of all devices',
        'revocation',
        'revocation per device',
      ],
      rows: measured.map(({ engine, filter, revoked, preview, page, deepPage, revocation }) => [
        engine,
        filter,
        String(revoked),
        `${(preview / 1000).toFixed(2)} s`,
        `${page.toFixed(0)} ms`,
        `${deepPage.toFixed(0)} ms`,
        `${(revocation / 1000).toFixed(2)} s`,
        `${(revocation / revoked).toFixed(2)} ms`,
      ]),
    },
  }
}

interface Measured {
  readonly engine: TestEngine['name']
  readonly filter: string
  readonly revoked: number
  /** The time of the dry run in ms, like the three following times. */
  readonly preview: number
  readonly page: number
  /** The time for a page of a hundred devices in the middle of the list, without a filter. */
  readonly deepPage: number
  readonly revocation: number
  /** The added memory in MB. */
  readonly memory: number
}

async function measure(engine: TestEngine, count: number): Promise<Measured[]> {
  const test = await engine.open()
  const gate = createQuillgate({
    secret: 'a secret of at least thirty-two bytes',
    database: test.url,
  })
  const devices = createTrustedDevices(gate, {
    users: { findById: (id) => ({ id }) },
  })
  let heard = 0
  devices.signals.deviceRevoked.connect(() => heard++)
  try {
    await gate.ready()
    await fill(test.database.executor(test.database.kysely), count)
    const measured: Measured[] = []
    for (const [name, filter] of Object.entries(FILTERS)) {
      heard = 0
      const watch = watchMemory()
      const [preview, { revoked }] = await timed(() =>
        devices.registry.revokeWhere(filter, { dryRun: true }),
      )
      const [page] = await timed(() => devices.registry.listAll({ filter, limit: 100 }))
      const cursor = await middleOf(devices, count)
      const [deepPage] = await timed(() => devices.registry.listAll({ cursor, limit: 100 }))
      const [revocation, report] = await timed(() => devices.registry.revokeWhere(filter))
      const memory = watch()
      if (report.revoked !== revoked || heard !== revoked || revoked !== count / RARE) {
        throw new Error(
          `${name}: ${revoked} devices were selected, ${report.revoked} were revoked, and ${heard} signals arrived.`,
        )
      }
      measured.push({
        engine: engine.name,
        filter: name,
        revoked,
        preview,
        page,
        deepPage,
        revocation,
        memory,
      })
    }
    return measured
  } finally {
    await gate.close()
    await test.close()
  }
}

/** Returns the cursor after half of all devices. They were last seen one millisecond apart. */
async function middleOf(devices: TrustedDevices, count: number): Promise<string | null> {
  const { devices: newest } = await devices.registry.listAll({ limit: 1 })
  const seenBefore = new Date((newest[0]?.lastSeenAt.getTime() ?? 0) - count / 2)
  return (await devices.registry.listAll({ filter: { seenBefore }, limit: 1 })).nextCursor
}

/** Each filter matches a different device of every thousand. */
async function fill(sql: SqlExecutor, count: number): Promise<void> {
  const now = Date.now()
  for (let start = 0; start < count; start += 250) {
    const rows = Array.from({ length: 250 }, (_, offset) => {
      const index = start + offset
      const kind = index % RARE
      const hex = index.toString(16).padStart(12, '0')
      const at = now - index
      const address = `10.${index % 200}.${index % 251}.1`
      return [
        `01900000-0000-7000-8000-${hex}`,
        `user${Math.floor(index / DEVICES_PER_USER)}`,
        '',
        kind === 1 ? 'JP' : kind === 2 ? null : 'DE',
        'Firefox 145',
        address,
        address,
        '',
        at,
        at,
        at,
        true,
        true,
        1,
        0,
        at,
        at,
        0,
        at,
        '[]',
        0,
      ]
    })
    const params = rows.flat()
    const marks = params.map((_, index) => (sql.dialect === 'postgres' ? `$${index + 1}` : '?'))
    const width = marks.length / rows.length
    const tuples = rows.map(
      (_, index) => `(${marks.slice(index * width, (index + 1) * width).join(', ')})`,
    )
    const text = `INSERT INTO quillgate_device (uid, user_id, name, country, browser, address,
      last_address, user_agent, created_at, last_seen_at, proved_at, can_delete_others, can_edit_others, token_generation,
      token_counter, token_issued_at, token_confirmed_at, credential_counter, signed_in_at, countries,
      token_late) VALUES ${tuples.join(', ')}`
    await sql.execute(text, params)
  }
}

async function timed<Result>(
  work: () => Promise<Result>,
): Promise<[milliseconds: number, result: Result]> {
  const start = performance.now()
  const result = await work()
  return [performance.now() - start, result]
}

/** Returns a function that ends the measurement and returns the maximum added memory in MB. */
function watchMemory(): () => number {
  const before = process.memoryUsage.rss()
  let most = before
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss())
  }, 10)
  return () => {
    clearInterval(timer)
    return (most - before) / 2 ** 20
  }
}

function goalOf({ engine, filter, memory }: Measured): Goal {
  return {
    what: `${engine}, ${filter}: memory of dry run, page and revocation`,
    goal: `≤ ${MOST_MEMORY} MB`,
    measured: `${memory.toFixed(0)} MB`,
    passed: memory <= MOST_MEMORY,
  }
}
