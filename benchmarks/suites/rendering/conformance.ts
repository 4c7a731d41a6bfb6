import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Goal, Part } from '../../lib/report.ts'

const report = fileURLToPath(
  new URL('../../../packages/markdown/test/conformance/report.ts', import.meta.url),
)

interface Figures {
  readonly total: number
  /** Counts results that a browser shows like those of the specification, after the policy. */
  readonly conforming: number
  /** Differences that the table of the guide does not describe. */
  readonly unexplained: number
}

interface Report {
  readonly parser: { readonly total: number; readonly same: number }
  readonly commonmark: Figures
  readonly gfm: Figures
  readonly github: Figures
}

/** The examples of the specifications, counted by the command of the tests. */
export const conformance: Part = async () => {
  const { parser, commonmark, gfm, github } = JSON.parse(
    execFileSync(process.execPath, [report, '--json'], { encoding: 'utf8' }),
  ) as Report
  return {
    title: 'Examples of the specifications',
    notes: [
      'The same HTML to a browser as in the specification, after the policy; see packages/markdown/test/conformance.',
    ],
    goals: [
      {
        what: 'CommonMark 0.31 examples, parser alone',
        goal: '652 of 652',
        measured: `${parser.same} of ${parser.total}`,
        passed: parser.same === 652,
      },
      {
        what: 'CommonMark examples through the whole renderer',
        goal: '≥ 643, the others explained',
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
    goal: 'all but those explained',
    measured: describe(figures),
    passed: figures.unexplained === 0,
  }
}

function describe({ total, conforming, unexplained }: Figures): string {
  return `${conforming} of ${total}, ${unexplained} unexplained`
}
