import type { DefaultRenderer } from '../../../src/rendering/index.ts'
import { judge } from '../support/judge.ts'
import { judgeInPages } from '../support/page-judge.ts'

/**
 * Renders a document and says what is wrong with the result, by both judges; an empty list when nothing is. It must
 * also be the same when rendered again, and the renderer's second layer must have had nothing to do.
 */
export function findProblems(markdown: string, renderer: DefaultRenderer): string[] {
  try {
    const { html, removed } = renderer.renderDocument(markdown)
    const problems = [...judge(html), ...judgeInPages(html)]
    if (renderer.render(markdown) !== html) problems.push('other HTML when rendered again')
    const finding = removed.find(({ kind }) => kind === 'unverified')
    if (finding !== undefined) problems.push(`the first layer let pass: ${finding.reason}`)
    return problems
  } catch (error) {
    return [`render threw ${error}`]
  }
}
