import MarkdownIt from 'markdown-it'
import { describe, expect, it, vi } from 'vitest'
import { IncrementalRenderer } from '../../src/index.ts'
import { Verifier } from '../../src/verification/verifier.ts'
import type { RenderFinding } from '../../src/verification/verify-html.ts'
import { createRenderer } from '../support/create-renderer.ts'

describe('onFinding', () => {
  it('receives the findings of the second layer, with their position', () => {
    const findings: RenderFinding[] = []
    const options = { onFinding: (finding: RenderFinding) => void findings.push(finding) }
    const { verify } = Verifier.prototype
    const spy = vi.spyOn(Verifier.prototype, 'verify').mockImplementation(function (
      this: Verifier,
      html,
    ) {
      return html.includes('<em>')
        ? { position: html.indexOf('<em>'), reason: 'no em', open: ['p'] }
        : verify.call(this, html)
    })
    const text = '\na\n\nb *c*\n\nd'
    const incremental = new IncrementalRenderer({ markdownIt: MarkdownIt, ...options })
    const rendered = [
      createRenderer(options).render(text),
      createRenderer(options).renderDocument(text).html,
    ]
    incremental.update(text)
    spy.mockRestore()
    const html = '<p>a</p>\n<p>b &lt;em&gt;c&lt;/em&gt;&lt;/p&gt;\n</p><p>d</p>'
    expect([...rendered, incremental.html]).toEqual([html, html, html])
    const finding = { reason: 'no em', position: 5, html: '<p>b <em>c</em></p>\n', line: 3 }
    expect(findings).toEqual([finding, finding, finding])
  })

  it('is not called for anything else', () => {
    const onFinding = vi.fn()
    createRenderer({ onFinding }).render('<script>a</script> [b](javascript:c)')
    expect(onFinding).not.toHaveBeenCalled()
  })
})
