import type { BaseRenderer } from '../../../src/rendering/index.ts'
import { judge } from '../support/judge.ts'
import { judgeInPages } from '../support/page-judge.ts'

/**
 * Renders a document and says what is wrong with the result, by both judges; an empty list when nothing is. It must
 * also be the same when rendered again.
 */
export function findProblems(markdown: string, renderer: BaseRenderer): string[] {
  let html: string
  try {
    html = renderer.render(markdown)
  } catch (error) {
    return [`render threw ${error}`]
  }
  const problems = [...judge(html), ...judgeInPages(html)]
  if (renderer.render(markdown) !== html) problems.push('other HTML when rendered again')
  return problems
}
