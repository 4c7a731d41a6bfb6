import type { Goal, Part } from '../../lib/report.ts'
import { type Spread, spreadOf } from '../../lib/statistics.ts'
import { Arena, type Load, type Memory, type Sample } from './upload-arena.ts'
import { bare, ours, peers } from './upload-servers.ts'

const MB = 1_000_000
const AT_ONCE = 20
const all = [bare, ours, ...peers]

/** Compares uploads of Quillgate, of a bare server and of other libraries. */
export const upload: Part = async ({ quick }) => {
  const rounds = quick ? 3 : 11
  const { large, small, several } = await Arena.with(all, async (arena) => {
    const measure = async (what: string, load: Load): Promise<Measured> =>
      new Measured(what, load, await arena.compare(load, rounds))
    return {
      large: await measure('50 MB', { size: 50 * MB, count: quick ? 2 : 5, concurrency: 1 }),
      small: await measure('20 kB', { size: 20_000, count: quick ? 100 : 300, concurrency: 1 }),
      several: await measure('20 kB, 16 at once', {
        size: 20_000,
        count: quick ? 200 : 1000,
        concurrency: 16,
      }),
    }
  })
  const memory = await measureMemory(quick ? 1 : 3)
  return {
    title: 'Uploads of 50 MB and 20 kB that are stored, hashed and synced',
    notes: [
      'Each server has its own process. One client sends to the servers in turns over loopback. All use the same disk. Medians of the',
      'pairs (quartiles). Quillgate checks the type, the size and images, and keeps its ledger in SQLite. The others read, hash and sync.',
      'Memory is the growth since the server was idle. The table shows that Quillgate has loaded more code before its first upload.',
    ],
    goals: [
      atLeast(0.8, `Throughput at 50 MB, as a multiple of ${bare}`, large.speed(bare)),
      atMost(2, `CPU time at 50 MB, as a multiple of ${bare}`, large.cpu(bare)),
      memoryGoal(memory),
      ...peers.map((peer) =>
        atLeast(1, `Throughput at 50 MB, as a multiple of ${peer}`, large.speed(peer)),
      ),
      atLeast(0.5, `Uploads of 20 kB per second, as a multiple of ${bare}`, small.speed(bare)),
      atLeast(
        0.5,
        `Uploads of 20 kB per second, 16 at once, as a multiple of ${bare}`,
        several.speed(bare),
      ),
    ],
    details: {
      columns: [
        'upload',
        'server',
        'per second',
        'CPU per upload',
        `${ours}: multiple of speed`,
        `${ours}: multiple of CPU`,
      ],
      rows: [
        ...[large, small, several].flatMap((measured) => all.map((name) => measured.row(name))),
        ...[...memory].map(([name, measured]) => memoryRow(name, measured)),
      ],
    },
  }
}

/** The results of the servers under one load. */
class Measured {
  readonly #what: string
  readonly #load: Load
  readonly #samples: ReadonlyMap<string, readonly Sample[]>

  constructor(what: string, load: Load, samples: ReadonlyMap<string, readonly Sample[]>) {
    this.#what = what
    this.#load = load
    this.#samples = samples
  }

  /** Returns how many times as fast Quillgate is as another server. */
  speed(other: string): Spread {
    return this.#pairs(other, (own, others) => others.ms / own.ms)
  }

  /** Returns the CPU time of Quillgate as a multiple of another server's time. */
  cpu(other: string): Spread {
    return this.#pairs(other, (own, others) => own.cpu / others.cpu)
  }

  row(name: string): string[] {
    const { count } = this.#load
    const each = (figure: (sample: Sample) => number): number =>
      spreadOf(this.#of(name).map(figure)).median
    const ratios = name === ours ? [] : [show(this.speed(name)), show(this.cpu(name))]
    const rate = each(({ ms }) => (count * 1000) / ms)
    return [
      this.#what,
      name,
      rate.toFixed(rate < 10 ? 2 : 0),
      `${each(({ cpu }) => cpu / count).toFixed(1)} ms`,
      ...ratios,
    ]
  }

  #pairs(other: string, ratio: (own: Sample, others: Sample) => number): Spread {
    const others = this.#of(other)
    return spreadOf(
      this.#of(ours).flatMap((own, round) => (others[round] ? [ratio(own, others[round])] : [])),
    )
  }

  #of(name: string): readonly Sample[] {
    return this.#samples.get(name) ?? []
  }
}

/**
 * Measures the memory of the bare server and of Quillgate several times. Each time starts new
 * processes.
 */
async function measureMemory(rounds: number): Promise<ReadonlyMap<string, readonly Memory[]>> {
  const load = { size: 50 * MB, count: AT_ONCE, concurrency: AT_ONCE }
  const memory = new Map<string, Memory[]>([bare, ours].map((name) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    await Arena.with([...memory.keys()], async (arena) => {
      for (const [name, measured] of memory) measured.push(await arena.memory(name, load))
    })
  }
  return memory
}

/** Returns the goal for memory: how much more memory Quillgate adds than the bare server. */
function memoryGoal(memory: ReadonlyMap<string, readonly Memory[]>): Goal {
  const growth = (name: string): number[] =>
    (memory.get(name) ?? []).map(({ idle, most }) => most - idle)
  const bareGrowth = growth(bare)
  const { median, low, high } = spreadOf(
    growth(ours).map((bytes, round) => bytes - (bareGrowth[round] ?? Number.NaN)),
  )
  return {
    what: `Memory (RSS) of ${AT_ONCE} simultaneous uploads of 50 MB, minus the memory of ${bare}`,
    goal: '≤ 20 MB',
    measured: `${inMB(median)} (${inMB(low)} to ${inMB(high)})`,
    passed: median <= 20 * MB,
  }
}

function memoryRow(name: string, memory: readonly Memory[]): string[] {
  const middle = (figure: (one: Memory) => number): string =>
    inMB(spreadOf(memory.map(figure)).median)
  return [
    `50 MB, ${AT_ONCE} at once`,
    name,
    `idle ${middle(({ idle }) => idle)}`,
    `most ${middle(({ most }) => most)}`,
  ]
}

function inMB(bytes: number): string {
  return `${(bytes / MB).toFixed(1)} MB`
}

function atLeast(factor: number, what: string, spread: Spread): Goal {
  return { what, goal: `≥ ${factor}×`, measured: show(spread), passed: spread.median >= factor }
}

function atMost(factor: number, what: string, spread: Spread): Goal {
  return { what, goal: `≤ ${factor}×`, measured: show(spread), passed: spread.median <= factor }
}

function show({ median, low, high }: Spread): string {
  return `${median.toFixed(2)}× (${low.toFixed(2)}–${high.toFixed(2)})`
}
