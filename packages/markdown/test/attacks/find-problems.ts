import { DefaultRenderer } from '../../src/index.ts'
import { judge } from '../support/judge.ts'
import { judgeInPages } from '../support/page-judge.ts'

export type FindProblems = (markdown: string) => string[]

const renderAgainEach = 10

const findings: string[] = []

/** Creates a renderer whose second layer reports its findings to the functions in this file. */
export function watchedRenderer(): DefaultRenderer {
  return new DefaultRenderer({ onFinding: ({ reason }) => findings.push(reason) })
}

/** Renders a document twice. Returns all problems that were found. */
export function findProblems(markdown: string, renderer: DefaultRenderer): string[] {
  return examine(markdown, renderer, { judge: judgeHtml, again: true })
}

/**
 * Creates a faster {@link findProblems} for many documents. It judges equal HTML only once, and
 * renders only every tenth document twice. It keeps all harmless HTML in memory.
 */
export function createProblemFinder(renderer: DefaultRenderer): FindProblems {
  const harmless = new Set<string>()
  const judgeOnce = (html: string): string[] => {
    if (harmless.has(html)) return []
    const problems = judgeHtml(html)
    if (problems.length === 0) harmless.add(html)
    return problems
  }
  let count = 0
  return (markdown) =>
    examine(markdown, renderer, { judge: judgeOnce, again: count++ % renderAgainEach === 0 })
}

interface Examination {
  readonly judge: (html: string) => string[]
  readonly again: boolean
}

function examine(
  markdown: string,
  renderer: DefaultRenderer,
  { judge, again }: Examination,
): string[] {
  try {
    findings.length = 0
    const html = renderer.render(markdown)
    const problems = judge(html)
    if (again && renderer.render(markdown) !== html) problems.push('other HTML when rendered again')
    if (findings[0] !== undefined) problems.push(`the first layer let pass: ${findings[0]}`)
    return problems
  } catch (error) {
    return [`render threw ${error}`]
  }
}

function judgeHtml(html: string): string[] {
  return [...judge(html), ...judgeInPages(html)]
}
