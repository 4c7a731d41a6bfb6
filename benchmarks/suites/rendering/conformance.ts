import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Goal, Part } from '../../lib/report.ts'

const report = fileURLToPath(
  new URL('../../../packages/markdown/test/conformance/report.ts', import.meta.url),
)

interface Figures {
  readonly total: number
  /**
   * The number of results that a browser shows like those of the specification, after the policy
   * was applied.
   */
  readonly conforming: number
  /** The number of differences that the table in the guide does not describe. */
  readonly unexplained: number
}

interface Report {
  readonly parser: { readonly total: number; readonly same: number }
  readonly commonmark: Figures
  readonly gfm: Figures
  readonly github: Figures
}

/**
 * Counts the examples of the specifications that are rendered correctly. Uses the report of the
 * tests.
 */
export const conformance: Part = async () => {
  const { parser, commonmark, gfm, github } = JSON.parse(
    execFileSync(process.execPath, [report, '--json'], { encoding: 'utf8' }),
  ) as Report
  return {
    title: 'Examples of the specifications',
    notes: [
      'An example is correct if a browser shows the same HTML as for the specification, after the policy was applied. See packages/markdown/test/conformance.',
    ],
    goals: [
      {
        what: 'CommonMark 0.31 examples, only the parser',
        goal: '652 of 652',
        measured: `${parser.same} of ${parser.total}`,
        passed: parser.same === 652,
      },
      {
        what: 'CommonMark examples, the whole renderer',
        goal: '≥ 643, and the guide explains the others',
        measured: describe(commonmark),
        passed: commonmark.conforming >= 643 && commonmark.unexplained === 0,
      },
      allButExplained('GFM extension examples', gfm),
      allButExplained('Cases recorded on GitHub', github),
    ],
  }
}

function allButExplained(what: string, figures: Figures): Goal {
  return {
    what,
    goal: 'all, except those that the guide explains',
    measured: describe(figures),
    passed: figures.unexplained === 0,
  }
}

function describe({ total, conforming, unexplained }: Figures): string {
  return `${conforming} of ${total}, ${unexplained} unexplained`
}
