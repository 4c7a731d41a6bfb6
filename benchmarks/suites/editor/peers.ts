import type { Goal, Part } from '../../lib/report.ts'
import { type Spread, spreadOf } from '../../lib/statistics.ts'
import { peers as editors } from './build-pages.ts'
import type { Mode } from './pages/bench-page.ts'
import { inTurns, notesOf, type Samples, summarize, summaryColumns, toCells } from './rounds.ts'
import { openSite } from './site.ts'

interface Field {
  readonly length: number
  readonly mode: Mode
}

const fields: readonly Field[] = [
  { length: 10_000, mode: 'write' },
  { length: 10_000, mode: 'split' },
  { length: 100_000, mode: 'write' },
  { length: 100_000, mode: 'split' },
]
const withoutSplit = 'overtype'

export const peers: Part = async ({ quick }) => {
  const rounds = quick ? { rounds: 1, keys: 40, traced: 10 } : { rounds: 2, keys: 60, traced: 40 }
  const site = await openSite()
  try {
    const measured: Measured[] = []
    for (const field of fields) {
      const rivals = Object.keys(editors).filter(
        (name) => field.mode === 'write' || name !== withoutSplit,
      )
      const sceneOf = (editor: string, round: number) =>
        ({ ...field, editor, place: round % 2 === 0 ? 'middle' : 'end', surface: 'auto' }) as const
      measured.push({
        field,
        rivals,
        samples: await inTurns(site, ['ours', ...rivals], sceneOf, rounds),
      })
    }
    return {
      title: 'A keystroke in the editor, compared with other editors',
      notes: [
        ...notesOf(rounds),
        'In one round, the caret is in the middle of the text. In the next round, it is at the end. Each editor is configured as its guide',
        'says, is 400 px high, and does not highlight code. By default, ByteMD and md-editor-rt show a live preview. EasyMDE and Toast UI',
        'do not. OverType has no live preview. Our editor has surface="auto".',
      ],
      goals: measured.flatMap(toGoals),
      details: {
        columns: ['text', 'editor', ...summaryColumns, 'multiple of ours (quartiles)'],
        rows: measured.flatMap(toRows),
      },
    }
  } finally {
    await site.close()
  }
}

interface Measured {
  readonly field: Field
  readonly rivals: readonly string[]
  readonly samples: Samples<string>
}

function toGoals(one: Measured): Goal[] {
  return one.rivals.map((rival) => {
    const { median } = ratioOf(one, rival)
    return {
      what: `${nameOf(one.field)}: main thread per keystroke, as a multiple of ours: ${editors[rival]?.name}`,
      goal: '> 1×',
      measured: `${median.toFixed(2)}×`,
      passed: median > 1,
    }
  })
}

function toRows(one: Measured): string[][] {
  return ['ours', ...one.rivals].map((name) => {
    const [cells, ratio] = [toCells(summarize(one.samples.get(name) ?? [])), ratioOf(one, name)]
    return [
      nameOf(one.field),
      editors[name]?.name ?? name,
      ...cells,
      `${ratio.median.toFixed(2)}× (${ratio.low.toFixed(2)}–${ratio.high.toFixed(2)})`,
    ]
  })
}

function ratioOf({ samples }: Measured, rival: string): Spread {
  const [theirs, ours] = [samples.get(rival) ?? [], samples.get('ours') ?? []]
  return spreadOf(theirs.map(({ main }, round) => main / (ours[round]?.main ?? Number.NaN)))
}

function nameOf({ length, mode }: Field): string {
  return `${length / 1000} kB, ${mode === 'split' ? 'live split preview' : 'write mode'}`
}
