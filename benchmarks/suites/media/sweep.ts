import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  postgresEngine,
  sqliteEngine,
  type TestEngine,
  whyUnavailable,
} from '@quillgate/server/testing'
import { Isolate } from '../../lib/isolate.ts'
import type { Goal, Part } from '../../lib/report.ts'
import { orphansOf } from './generated-media.ts'
import { runCli, type Taken } from './run-cli.ts'
import type { Ledger } from './sweep-ledger.isolate.ts'

const MB = 1_000_000
const maxMemory = 100 * MB
/**
 * The maximum CPU time per row in the largest ledger, as a multiple of the time in the smallest
 * ledger.
 */
const maxGrowth = 1.3
const postgresUrl =
  process.env['QUILLGATE_TEST_POSTGRES_URL'] ?? 'postgres://postgres@127.0.0.1:5432/test'

/** The run of one command on a ledger of one size. */
interface Run {
  readonly engine: string
  readonly task: string
  readonly count: number
  /** The number of due files, or of all files if none is due. */
  readonly rows: number
  readonly taken: Taken
}

/** Measures whether a sweep and a check of a million files take constant memory and linear time. */
export const sweep: Part = async ({ quick }) => {
  const sizes = [250_000, 500_000, 1_000_000].map((size) => (quick ? size / 10 : size))
  const unavailable = await whyUnavailable(postgresUrl)
  const engines = [sqliteEngine(), ...(unavailable === null ? [postgresEngine(postgresUrl)] : [])]
  const runs: Run[] = []
  for (const engine of engines) runs.push(...(await measure(engine, sizes)))
  return {
    title: `markdown-editor sweep and check of ${sizes.map((size) => size.toLocaleString('en')).join(', ')} files`,
    notes: [
      'Each command runs in its own process. Its start is measured, too. The storage calculates its objects and does not store them.',
      ...(unavailable === null
        ? []
        : [`PostgreSQL was not measured, because it does not answer (${unavailable}).`]),
    ],
    goals: [
      ...engines.flatMap(({ name }) => goalsOf(runs.filter(({ engine }) => engine === name))),
    ],
    details: {
      columns: ['ledger', 'command', 'files', 'seconds', 'CPU', 'rows per second', 'memory'],
      rows: runs.map(({ engine, task, count, rows, taken }) => [
        engine,
        task,
        count.toLocaleString('en'),
        (taken.wall / 1000).toFixed(1),
        (taken.cpu / 1000).toFixed(1),
        Math.round((rows * 1000) / taken.wall).toLocaleString('en'),
        `${(taken.memory / MB).toFixed(0)} MB`,
      ]),
    },
  }
}

async function measure(engine: TestEngine, sizes: readonly number[]): Promise<Run[]> {
  const { url, close } = await engine.open()
  const ledger = { url, directory: await mkdtemp(join(tmpdir(), 'quillgate-bench-')) }
  const runs: Run[] = []
  const add = async (
    task: string,
    count: number,
    due: number,
    command: string[],
    hours: number,
  ): Promise<void> => {
    const { report, taken } = await runCli(ledger, count, command, hours)
    const found = report['orphaned'] ?? report['files']
    const expected = command[0] === 'check' ? count : due
    if (found !== expected)
      throw new Error(`The report of ${task} contains ${found}. Expected was ${expected}.`)
    runs.push({ engine: engine.name, task, count, rows: due || count, taken })
  }
  try {
    for (const [index, size] of sizes.entries()) {
      await fill(ledger, sizes[index - 1] ?? 0, size)
      await add('sweep, nothing due', size, 0, ['sweep'], 1)
      await add('check', size, 0, ['check'], 1)
    }
    const size = sizes.at(-1) ?? 0
    const due = orphansOf(size)
    await add(`sweep, ${due.toLocaleString('en')} due`, size, due, ['sweep'], 48)
    return runs
  } finally {
    await close()
    await rm(ledger.directory, { recursive: true, force: true })
  }
}

async function fill(ledger: Ledger, from: number, to: number): Promise<void> {
  const file = new URL('./sweep-ledger.isolate.ts', import.meta.url)
  const isolate = new Isolate<typeof import('./sweep-ledger.isolate.ts')>(file)
  try {
    await isolate.call('fill', ledger, from, to)
  } finally {
    isolate.stop()
  }
}

function goalsOf(runs: readonly Run[]): Goal[] {
  const engine = runs[0]?.engine ?? ''
  const memory = Math.max(...runs.map(({ taken }) => taken.memory))
  const growths = ['sweep, nothing due', 'check'].map((task) => {
    const perRow = runs
      .filter((run) => run.task === task)
      .map(({ taken, count }) => taken.cpu / count)
    return (perRow.at(-1) ?? Number.NaN) / (perRow[0] ?? Number.NaN)
  })
  return [
    {
      what: `Memory (RSS) of sweep and check, ${engine}`,
      goal: `≤ ${maxMemory / MB} MB`,
      measured: `${(memory / MB).toFixed(0)} MB`,
      passed: memory <= maxMemory,
    },
    {
      what: `CPU time per row in the largest ledger, as a multiple of the smallest ledger, ${engine}`,
      goal: `≤ ${maxGrowth}× (linear)`,
      measured: `sweep ${growths[0]?.toFixed(2)}×, check ${growths[1]?.toFixed(2)}×`,
      passed: growths.every((growth) => growth <= maxGrowth),
    },
  ]
}
