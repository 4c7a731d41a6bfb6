import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Isolate } from '../../lib/isolate.ts'
import type { Part } from '../../lib/report.ts'
import { type Spread, spreadOf } from '../../lib/statistics.ts'
import type { Taken } from './finalize.isolate.ts'

const contenders = ['finalize', 'copies', 'links'] as const
const maxRatio = 2

type Name = (typeof contenders)[number]
type Samples = Readonly<Record<Name, readonly Taken[]>>

/** Compares finalizing a text with only copying its files durably. */
export const finalize: Part = async ({ quick }) => {
  const samples = await measure(quick ? 5 : 15)
  const goal = (what: string, of: keyof Taken) => {
    const ratio = ratioOf(samples, 'copies', of)
    return {
      what: `Finalize of 100 kB with 20 files of 5 MB, compared with synced copies: ${what}`,
      goal: `≤ ${maxRatio}×`,
      measured: `${show(ratio)}×`,
      passed: ratio.median <= maxRatio,
    }
  }
  return {
    title: 'Finalize of a text of 100 kB that references 20 files of 5 MB',
    notes: [
      'SQLite ledger, local files. Each contender runs in its own process, in turns. Medians of the pairs (quartiles).',
      'copies: copies each file with fs.copyFile and syncs it. The thread pool of libuv copies four files at a time. Syncs the folder at',
      'the end. Has no ledger.',
      'links: creates a hard link for each file, and syncs the folder at the end. Local storage uses links, because objects never change.',
    ],
    goals: [goal('time', 'wall'), goal('CPU time', 'cpu')],
    details: {
      columns: ['', 'ms', 'CPU ms', 'finalize: multiple', 'finalize: multiple of CPU'],
      rows: contenders.map((name) => [
        name,
        show(spreadOf(samples[name].map(({ wall }) => wall)), 1),
        show(spreadOf(samples[name].map(({ cpu }) => cpu)), 1),
        `${show(ratioOf(samples, name, 'wall'))}×`,
        `${show(ratioOf(samples, name, 'cpu'))}×`,
      ]),
    },
  }
}

async function measure(rounds: number): Promise<Samples> {
  const directory = await mkdtemp(join(tmpdir(), 'quillgate-bench-'))
  const isolates = contenders.map((name) => ({
    name,
    isolate: new Isolate<typeof import('./finalize.isolate.ts')>(
      new URL('./finalize.isolate.ts', import.meta.url),
    ),
  }))
  const samples: Record<Name, Taken[]> = { finalize: [], copies: [], links: [] }
  try {
    for (const { name, isolate } of isolates)
      await isolate.call('prepare', name, join(directory, name))
    for (let round = -2; round < rounds; round++) {
      const first = Math.abs(round) % isolates.length
      for (const { name, isolate } of [...isolates.slice(first), ...isolates.slice(0, first)]) {
        const taken = await isolate.call('sample')
        if (round >= 0) samples[name].push(taken) // Negative rounds only warm up.
      }
    }
    return samples
  } finally {
    for (const { isolate } of isolates) isolate.stop()
    await rm(directory, { recursive: true, force: true })
  }
}

/** Divides the time of finalize by the contender's time in each round. */
function ratioOf(samples: Samples, name: Name, of: keyof Taken): Spread {
  return spreadOf(
    samples.finalize.map((taken, round) => taken[of] / (samples[name][round]?.[of] ?? Number.NaN)),
  )
}

function show({ median, low, high }: Spread, digits = 2): string {
  return `${median.toFixed(digits)} (${low.toFixed(digits)}–${high.toFixed(digits)})`
}
