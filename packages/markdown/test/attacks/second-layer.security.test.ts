import MarkdownIt from 'markdown-it'
import { describe, expect, it } from 'vitest'
import { defaultPolicy } from '../../src/policy/default-policy.ts'
import { Verifier } from '../../src/verification/verifier.ts'
import { verifyHtml } from '../../src/verification/verify-html.ts'
import { judgeInPages } from '../support/page-judge.ts'
import { assembleCorpus } from './corpus.ts'

// In the renderer, the second layer only finds what the first layer missed. These tests run the
// second layer alone, on the unfiltered output of markdown-it and on the attacks themselves.

const corpus = assembleCorpus()
const verifier = new Verifier(defaultPolicy)
const unsafe = new MarkdownIt({ html: true, linkify: true })
unsafe.validateLink = () => true

function verify(html: string): string {
  return verifyHtml(html, verifier, () => {})
}

/** Ignores a missing `rel`, which the first layer adds. */
function judge(verified: string): string[] {
  return judgeInPages(verified).filter((problem) => !problem.startsWith('a link without rel'))
}

describe('the second layer alone', () => {
  it.each([
    ['markdown-it without any policy', (markdown: string) => unsafe.render(markdown)],
    ['the authors of attacks', (markdown: string) => markdown],
  ])('returns harmless HTML for the output of %s', { timeout: 300_000 }, (_, toHtml) => {
    const judged = new Set<string>() // Many attacks become the same HTML.
    for (const { id, markdown } of corpus) {
      const html = toHtml(markdown)
      const verified = verify(html)
      if (judged.has(verified)) continue
      judged.add(verified)
      const problems = judge(verified)
      if (problems.length > 0)
        expect.fail(`${id}: ${JSON.stringify(html.slice(0, 500))}: ${problems.join(', ')}`)
    }
  })

  it.each([
    '<!--',
    '<!-- a',
    '<p>a<!-- b --></p>',
    '<h1><?a?></h1>',
    '<![CDATA[a]]>',
    '<!DOCTYPE html>',
    '<a',
    '<a ',
    '<a href="',
    '</p',
    '</',
  ])('leaves no element open after %j', (html) => {
    expect(judge(verify(html))).toEqual([])
    expect(judge(verify(`<blockquote>${html}`))).toEqual([])
  })

  it('does not change HTML that the policy allows', () => {
    const html = unsafe.render(
      '# a\n\n**b** `c` <kbd>d</kbd> [e](/f) ![g](/h.png)\n\n| i |\n|---|\n| j |\n\n- k\n\n1. l',
    )
    expect(verifyHtml(html, verifier, ({ reason }) => expect.fail(reason))).toBe(html)
  })
})
