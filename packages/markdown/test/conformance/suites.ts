import explained from './cases/explained.json' with { type: 'json' }
import { commonmark, type Example, gfm, github } from './examples.ts'
import {
  type Difference,
  type Figures,
  measure,
  measureParser,
  type ParserFigures,
} from './measure.ts'

export interface Explanation {
  readonly what: string
  readonly why: string
  /** The normalized HTML of the renderer, by the number of the example. */
  readonly output: Readonly<Record<string, string>>
}

export type SuiteName = 'commonmark' | 'gfm' | 'github'

interface Source {
  readonly name: SuiteName
  readonly title: string
  /** A sentence for readers that explains the numbers of the examples. */
  readonly numbering: string
  /** The URL of an example without its number at the end, or null. */
  readonly link: string | null
  readonly examples: readonly Example[]
}

export interface Suite extends Source {
  readonly figures: Figures
  readonly differences: readonly Difference[]
  readonly explanations: readonly Explanation[]
}

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

export function measureAll(): Report {
  const suites = sources.map((source) => {
    const explanations: readonly Explanation[] = explained[source.name]
    return { ...source, ...measure(source.examples), explanations }
  })
  return { parser: measureParser(commonmark), suites }
}

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
