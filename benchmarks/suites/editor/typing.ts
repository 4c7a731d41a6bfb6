import type { Goal, Part } from '../../lib/report.ts'
import { spreadOf } from '../../lib/statistics.ts'
import {
  inTurns,
  notesOf,
  type Rounds,
  type Samples,
  summarize,
  summaryColumns,
  toCells,
} from './rounds.ts'
import type { Place, Scene } from './scene.ts'
import { openSite, type Site } from './site.ts'
import type { Trace } from './trace.ts'
import { type Sample, traceOpening } from './typist.ts'

type Contender = 'ours' | 'bare'

interface Row extends Pick<Scene, 'length' | 'mode'> {
  readonly surface: 'native' | 'auto'
}

const rows: readonly Row[] = [
  { length: 10_000, mode: 'split', surface: 'native' },
  { length: 100_000, mode: 'write', surface: 'native' },
  { length: 100_000, mode: 'split', surface: 'auto' },
  { length: 1_000_000, mode: 'split', surface: 'auto' },
]
const mostAuto = 8 // ms per keystroke.
const mostTask = 50 // ms.
const flat = 1.25 // The time with 1 MB as a multiple of the time with 100 kB.

/** Measures the cost of a keystroke, compared with a textarea with the same text. */
export const typing: Part = async ({ quick }) => {
  const rounds = quick ? { rounds: 1, keys: 40, traced: 10 } : { rounds: 3, keys: 60, traced: 40 }
  const places: readonly Place[] = quick ? ['middle'] : ['middle', 'end']
  const site = await openSite()
  try {
    const measured: Measured[] = []
    for (const row of rows) {
      for (const place of places)
        measured.push({ row, place, ...(await measure(site, row, place, rounds)) })
    }
    return {
      title: 'A keystroke in the editor, compared with a textarea of the same size',
      notes: [
        ...notesOf(rounds),
        'Long tasks are also CPU time. A script run is the run of one of our scripts, with the layouts that it forces. Opening lasts from',
        'the request for the page until the page is idle. It includes the preview if there is one.',
      ],
      goals: [
        ...measured.map(toGoal),
        ...(quick ? [] : [toFlatGoal(measured)]),
        ...measured
          .filter(({ place }) => place === places[0])
          .map((one) => toTaskGoal(one, measured)),
      ],
      details: {
        columns: [
          'text',
          'caret at',
          'editor',
          ...summaryColumns,
          'opening: longest task',
          'opening: longest script run',
        ],
        rows: measured.flatMap((one) =>
          (['ours', 'bare'] as const).map((name) => toRow(one, name)),
        ),
      },
    }
  } finally {
    await site.close()
  }
}

interface Measured {
  readonly row: Row
  readonly place: Place
  readonly samples: Samples<Contender>
  readonly opening: ReadonlyMap<Contender, Trace>
}

async function measure(
  site: Site,
  row: Row,
  place: Place,
  rounds: Rounds,
): Promise<Pick<Measured, 'samples' | 'opening'>> {
  const sceneOf = (editor: Contender): Scene => ({ ...row, editor, place })
  const names: Contender[] = ['bare', 'ours']
  const opening = new Map<Contender, Trace>()
  for (const name of names) opening.set(name, await traceOpening(site, sceneOf(name)))
  // With a long text, a textarea is slow and is not compared, so one measurement is enough.
  const few = row.length > 100_000 ? { ...rounds, rounds: 1, keys: 20, traced: 10 } : rounds
  if (few === rounds) return { opening, samples: await inTurns(site, names, sceneOf, rounds) }
  const ours = await inTurns(site, ['ours'], sceneOf, rounds)
  return { opening, samples: new Map([...ours, ...(await inTurns(site, ['bare'], sceneOf, few))]) }
}

function toGoal({ row, place, samples }: Measured): Goal {
  const [ours, bare] = [of(samples, 'ours'), of(samples, 'bare')]
  const what = `${nameOf(row)}, caret at the ${place}: main thread per keystroke`
  if (row.surface === 'auto') {
    const { median } = spreadOf(ours.map(({ main }) => main))
    const measured = `${median.toFixed(2)} ms`
    return { what, goal: `≤ ${mostAuto} ms`, measured, passed: median <= mostAuto }
  }
  const { median } = spreadOf(bare.map(({ main }) => main))
  const more = spreadOf(
    ours.map(({ main }, round) => main - (bare[round]?.main ?? Number.NaN)),
  ).median
  const measured = `${more >= 0 ? '+' : '−'}${Math.abs(more).toFixed(2)} ms to ${median.toFixed(2)} ms`
  return { what, goal: '≤ bare + 1 ms or 5 %', measured, passed: more <= Math.max(1, median / 20) }
}

function toFlatGoal(measured: readonly Measured[]): Goal {
  const mostOf = (length: number): number =>
    Math.max(
      ...measured
        .filter(({ row }) => row.length === length && row.surface === 'auto')
        .map(({ samples }) => spreadOf(of(samples, 'ours').map(({ main }) => main)).median),
    )
  const ratio = mostOf(1_000_000) / mostOf(100_000)
  return {
    what: 'A keystroke in 1 MB compared with one in 100 kB, surface="auto", live split preview',
    goal: `≤ ${flat}×`,
    measured: `${ratio.toFixed(2)}×`,
    passed: ratio <= flat,
  }
}

function toTaskGoal({ row }: Measured, measured: readonly Measured[]): Goal {
  const ofRow = measured.filter((one) => one.row === row)
  const typed = Math.max(...ofRow.map(({ samples }) => summarize(of(samples, 'ours')).longestRun))
  const opened = Math.max(
    ...ofRow.map(({ opening }) => opening.get('ours')?.longestRun ?? Number.NaN),
  )
  return {
    what: `${nameOf(row)}: longest script run, typing and opening`,
    goal: `≤ ${mostTask} ms`,
    measured: `${typed.toFixed(1)} ms and ${opened.toFixed(1)} ms`,
    passed: Math.max(typed, opened) <= mostTask,
  }
}

function toRow({ row, place, samples, opening }: Measured, name: Contender): string[] {
  const opened = opening.get(name)
  return [
    nameOf(row),
    place,
    name === 'ours' ? 'ours' : 'bare textarea',
    ...toCells(summarize(of(samples, name))),
    `${opened?.longestTask.toFixed(0)} ms`,
    name === 'ours' ? `${opened?.longestRun.toFixed(1)} ms` : '',
  ]
}

function nameOf({ length, mode, surface }: Row): string {
  return `${length / 1000} kB, ${mode === 'split' ? 'live split preview' : 'write mode'}, ${surface}`
}

function of(samples: Samples<Contender>, name: Contender): readonly Sample[] {
  return samples.get(name) ?? []
}
