import MarkdownIt from 'markdown-it'
import { DefaultRenderer, defaultPolicy } from '../../src/index.ts'
import { applyToExpected, normalize } from './compare.ts'
import type { Example } from './examples.ts'

/** How many of a suite's examples agree, by different measures. */
export interface Figures {
  readonly total: number
  /** Byte for byte, but for white space at both ends; without `rel`. */
  readonly bytes: number
  /** Equivalent HTML in a browser, without `rel`. */
  readonly same: number
  /** Equivalent in a browser to the expected HTML after the policy: the main figure. */
  readonly conforming: number
  /** Conforming examples whose expected HTML the policy does not change. */
  readonly untouched: number
  /** Conforming examples whose expected HTML only gets `rel`, ids and prefixes of in-page links. */
  readonly extended: number
}

/** The HTML of an example that does not conform. */
export interface Difference {
  readonly example: Example
  readonly output: string
  /** As they were compared. */
  readonly expected: string
  readonly got: string
}

/** The parser alone. */
export interface ParserFigures {
  readonly total: number
  readonly bytes: number
  readonly same: number
}

/** The renderer that is measured: the default one, with code left as it is. */
export const plainCode: DefaultRenderer = new DefaultRenderer({ highlightLanguages: [] })
const withoutRel = new DefaultRenderer({
  highlightLanguages: [],
  policy: { ...defaultPolicy, linkRel: '' },
})

/** Renders the examples and counts. */
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

/** The HTML of markdown-it alone, in its strict mode. */
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
