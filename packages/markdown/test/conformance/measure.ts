import MarkdownIt from 'markdown-it'
import { DefaultRenderer, defaultPolicy } from '../../src/index.ts'
import { applyToExpected, normalize } from './compare.ts'
import type { Example } from './examples.ts'

/** The number of examples of a suite whose HTML matches, for several definitions of a match. */
export interface Figures {
  readonly total: number
  /** Examples with the same bytes, without `rel` and without white space at both ends. */
  readonly bytes: number
  /** Examples with equivalent HTML in a browser, without `rel`. */
  readonly same: number
  /** The main figure. Examples that equal the expected HTML after the policy was applied to it. */
  readonly conforming: number
  /** Conforming examples whose expected HTML the policy does not change. */
  readonly untouched: number
  /** Conforming examples whose expected HTML only gets `rel`, ids and prefixes of in-page links. */
  readonly extended: number
}

export interface Difference {
  readonly example: Example
  readonly output: string
  /** The normalized texts that were compared. */
  readonly expected: string
  readonly got: string
}

/** The same counts as in {@link Figures} for markdown-it alone. */
export interface ParserFigures {
  readonly total: number
  readonly bytes: number
  readonly same: number
}

export const plainCode: DefaultRenderer = new DefaultRenderer({ highlightLanguages: [] })
const withoutRel = new DefaultRenderer({
  highlightLanguages: [],
  policy: { ...defaultPolicy, linkRel: '' },
})

export function measure(examples: readonly Example[]): {
  figures: Figures
  differences: Difference[]
} {
  const differences: Difference[] = []
  const count = { bytes: 0, same: 0, conforming: 0, untouched: 0, extended: 0 }
  for (const example of examples) {
    const output = plainCode.render(example.markdown)
    const bare = withoutRel.render(example.markdown)
    const [plain, expected, got] = [
      normalize(example.html),
      applyToExpected(example.html),
      normalize(output),
    ]
    if (bare.trim() === example.html.trim()) count.bytes++
    if (normalize(bare) === plain) count.same++
    if (got !== expected) {
      differences.push({ example, output, expected, got })
      continue
    }
    count.conforming++
    if (expected === plain) count.untouched++
    else if (withoutAdditions(expected) === plain.replaceAll('href="#', 'href="')) count.extended++
  }
  return { figures: { total: examples.length, ...count }, differences }
}

function withoutAdditions(html: string): string {
  const { linkRel, idPrefix } = defaultPolicy
  return html
    .replaceAll(` rel="${linkRel}"`, '')
    .replace(new RegExp(` id="${idPrefix}[^"]*"`, 'g'), '')
    .replaceAll(`href="#${idPrefix}`, 'href="')
}

export function measureParser(examples: readonly Example[]): ParserFigures {
  const parser = new MarkdownIt('commonmark')
  const outputs = examples.map((example) => ({
    ...example,
    output: parser.render(example.markdown),
  }))
  return {
    total: outputs.length,
    bytes: outputs.filter(({ html, output }) => output === html).length,
    same: outputs.filter(({ html, output }) => normalize(output) === normalize(html)).length,
  }
}
