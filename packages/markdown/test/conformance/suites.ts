import explained from './cases/explained.json' with { type: 'json' }
import { commonmark, type Example, gfm, github } from './examples.ts'
import {
  type Difference,
  type Figures,
  measure,
  measureParser,
  type ParserFigures,
} from './measure.ts'

/** Why some examples don't conform, for readers. */
export interface Explanation {
  readonly what: string
  readonly why: string
  /** By the number of the example: the renderer's HTML, as it was compared. */
  readonly output: Readonly<Record<string, string>>
}

/** The names of the suites, as in the data. */
export type SuiteName = 'commonmark' | 'gfm' | 'github'

interface Source {
  readonly name: SuiteName
  readonly title: string
  /** The meaning of the examples' numbers. */
  readonly numbering: string
  /** Where an example stands, up to its number. */
  readonly link: string | null
  readonly examples: readonly Example[]
}

/** What one suite gave. */
export interface Suite extends Source {
  readonly figures: Figures
  readonly differences: readonly Difference[]
  readonly explanations: readonly Explanation[]
}

/** What all of them gave. */
export interface Report {
  readonly parser: ParserFigures
  readonly suites: readonly Suite[]
}

const folder = 'packages/markdown/test/conformance/cases'
const sources: readonly Source[] = [
  {
    name: 'commonmark',
    title: 'CommonMark',
    numbering: 'The numbers are those of the specification.',
    link: 'https://spec.commonmark.org/0.31.2/#example-',
    examples: commonmark,
  },
  {
    name: 'gfm',
    title: "GFM's extensions",
    numbering: `The numbers count the examples in \`${folder}/gfm-extensions.txt\`.`,
    link: null,
    examples: gfm,
  },
  {
    name: 'github',
    title: 'GitHub (own cases)',
    numbering: `The numbers count the cases in \`${folder}/github.txt\`.`,
    link: null,
    examples: github,
  },
]

/** Renders all examples. */
export function measureAll(): Report {
  const suites = sources.map((source) => {
    const explanations: readonly Explanation[] = explained[source.name]
    return { ...source, ...measure(source.examples), explanations }
  })
  return { parser: measureParser(commonmark), suites }
}

/** The differences that are not explained, and the explanations of what is no longer so. */
export function problems({ name, differences, explanations }: Suite): string[] {
  const outputs = new Map(explanations.flatMap(({ output }) => Object.entries(output)))
  const found = differences.flatMap(({ example: { number }, got }) => {
    const known = outputs.get(String(number))
    outputs.delete(String(number))
    if (known === undefined) return [`${name} ${number} differs and is not explained`]
    return known === got ? [] : [`${name} ${number} differs in another way than explained`]
  })
  const settled = [...outputs.keys()].map((number) => `${name} ${number} is explained and conforms`)
  const empty = explanations.filter(({ what, why }) => what === '' || why === '')
  return [
    ...found,
    ...settled,
    ...empty.map(({ output }) => `${name} ${Object.keys(output)} needs an explanation`),
  ]
}
