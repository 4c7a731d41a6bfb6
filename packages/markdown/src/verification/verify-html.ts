import { escapeHtml } from '../grammar/escape-html.ts'
import type { Finding, Verifier } from './verifier.ts'

/**
 * Rendered HTML that the policy does not allow, because of a bug in the renderer or the
 * highlighter. The page renders this HTML up to the problem, and shows the rest as text.
 */
export interface RenderFinding {
  /** The problem, in English. */
  readonly reason: string
  /** The unsafe HTML of the top-level blocks that contain the problem. */
  readonly html: string
  /** The position of the problem in this HTML, in UTF-16 units. */
  readonly position: number
  /** The zero-based line of the text at which the blocks begin. */
  readonly line: number
}

/** Called for each problem that the verifier finds in rendered HTML. */
export type OnFinding = (finding: RenderFinding) => void

/** Escapes HTML from the first problem on, because browsers may parse the rest differently. */
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
