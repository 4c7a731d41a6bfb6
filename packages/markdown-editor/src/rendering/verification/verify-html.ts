import { escapeHtml } from '../escape-html.ts'
import type { Finding, Verifier } from './verifier.ts'

/**
 * Gives back HTML that passes the verifier as it is. Of any other, all from the first finding on becomes text: nobody
 * can say how a browser would read it.
 *
 * @param html - balanced in itself
 * @param onFinding - hears of what was found; the first layer has a fault then
 */
export function verifyHtml(html: string, verifier: Verifier, onFinding: (finding: Finding) => void): string {
  const finding = verifier.verify(html)
  if (finding === null) return html
  onFinding(finding)
  const endTags = finding.open.toReversed().map((name) => `</${name}>`)
  return html.slice(0, finding.position) + escapeHtml(html.slice(finding.position)) + endTags.join('')
}
