import { describeDocuments, readDocuments, sizeOf } from '../../corpus/documents.ts'
import { type Comparison, compare } from '../../lib/compare.ts'
import type { Goal, Part, Section } from '../../lib/report.ts'
import type { Spread } from '../../lib/statistics.ts'
import { keepsAndCleans } from './keeps-and-cleans.ts'
import {
  createRenderer,
  ours,
  oursHighlighting,
  peers,
  rawAlone,
  rawWithPlugins,
} from './renderers.ts'

const isolate = new URL('./speed.isolate.ts', import.meta.url)
const turns =
  'Each renderer runs in its own process, with compiled code, in turns. CPU time of all its threads. Medians of the pairs (quartiles).'

/** Compares our renderer with the parser that it uses. */
export const raw: Part = async ({ quick }) => {
  const names = [ours, rawWithPlugins, rawAlone, oursHighlighting]
  const comparison = await compare(isolate, names, {
    rounds: quick ? 9 : 31,
    sample: 300,
    warmUp: quick ? 1000 : 3000,
  })
  return section('Speed compared with markdown-it alone, without highlighting', comparison, names, [
    atLeast(0.75, `of ${rawWithPlugins}`, comparison.speed(ours, rawWithPlugins)),
  ])
}

/** Compares our renderer with other renderers that sanitize their output. */
export const cleaning: Part = async ({ quick }) => {
  const names = [ours, ...peers]
  const comparison = await compare(isolate, names, {
    rounds: quick ? 3 : 15,
    sample: 300,
    warmUp: quick ? 1000 : 3000,
  })
  const qualified: string[] = []
  for (const name of peers) if (keepsAndCleans(await createRenderer(name))) qualified.push(name)
  const fastest = qualified.toSorted(
    (a, b) => comparison.time(a).median - comparison.time(b).median,
  )[0]
  if (fastest === undefined)
    throw new Error('No other renderer passes keepsAndCleans, so this check is broken.')
  return section(
    'Speed compared with renderers that keep a subset of HTML and remove the rest',
    comparison,
    names,
    [atLeast(1.25, `of the fastest, ${fastest}`, comparison.speed(ours, fastest))],
  )
}

function section(
  title: string,
  comparison: Comparison,
  names: readonly string[],
  goals: readonly Goal[],
): Section {
  const documents = readDocuments()
  const rows = names.map((name) => {
    const { median } = comparison.time(name)
    const speed = `${(sizeOf(documents) / 1000 / median).toFixed(2)} MB/s`
    return [name, speed, name === ours ? '' : `${show(comparison.speed(ours, name))}`]
  })
  return {
    title,
    notes: [turns, describeDocuments(documents)],
    goals,
    details: { columns: ['renderer', 'speed', `${ours} is … times as fast`], rows },
  }
}

function atLeast(factor: number, what: string, speed: Spread): Goal {
  return {
    what: `Speed with both layers, as a multiple ${what}`,
    goal: `≥ ${factor}×`,
    measured: show(speed),
    passed: speed.median >= factor,
  }
}

function show({ median, low, high }: Spread): string {
  return `${median.toFixed(2)}× (${low.toFixed(2)}–${high.toFixed(2)})`
}
