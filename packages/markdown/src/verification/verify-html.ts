import { escapeHtml } from '../grammar/escape-html.ts'
import type { Finding, Verifier } from './verifier.ts'

/**
 * Something that stood in finished HTML and is not what the policy lists. Readers see it as text; the renderer, or the
 * highlighter, has a fault.
 */
export interface RenderFinding {
  /** In English. */
  readonly reason: string
  /** The HTML of some top-level blocks as it would have been: not safe. */
  readonly html: string
  /** Where in this HTML it begins, in UTF-16 units. */
  readonly position: number
  /** Zero-based line of the text at which the blocks begin. */
  readonly line: number
}

/** Hears of what the second layer finds. */
export type OnFinding = (finding: RenderFinding) => void

/**
 * Gives back HTML that passes the verifier as it is. Of any other, all from the first finding on becomes text: nobody
 * can say how a browser would read it.
 *
 * @param html - balanced in itself
 * @param onFinding - hears of what was found; the first layer has a fault then
 */
export function verifyHtml(
  html: string,
  verifier: Verifier,
  onFinding: (finding: Finding) => void,
): string {
  const finding = verifier.verify(html)
  if (finding === null) return html
  onFinding(finding)
  const endTags = finding.open.toReversed().map((name) => `</${name}>`)
  return (
    html.slice(0, finding.position) + escapeHtml(html.slice(finding.position)) + endTags.join('')
  )
}
