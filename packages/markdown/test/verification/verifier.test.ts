import fc from 'fast-check'
import MarkdownIt from 'markdown-it'
import { describe, expect, it } from 'vitest'
import { defaultPolicy } from '../../src/policy/default-policy.ts'
import { MarkdownRenderer } from '../../src/renderer/markdown-renderer.ts'
import { Verifier } from '../../src/verification/verifier.ts'
import { verifyHtml } from '../../src/verification/verify-html.ts'
import { documents } from '../support/changing-documents.ts'

const verifier = new Verifier(defaultPolicy)
const frame = (
  src: string,
  sandbox = 'allow-scripts allow-same-origin allow-popups allow-presentation',
) => `<iframe src="${src}" sandbox="${sandbox}"></iframe>`
const player = 'https://player.vimeo.com/video/1'

describe('a verifier', () => {
  it.each([
    ['<blink>a</blink>', '<blink> is not allowed'],
    ['<P>a</P>', '<P> is not allowed'],
    ['<script>a</script>', '<script> is not allowed'],
    ['<p onclick="b">a</p>', 'p[onclick] is not allowed'],
    ['<p title="a" title="b">a</p>', 'p[title] is not allowed, or appears twice'],
    ["<p title='b'>a</p>", 'p[title] has a value'],
    ['<p title=b>a</p>', 'p[title] has a value'],
    ['<p align="up">a</p>', 'p[align] has a value'],
    ['<p class="markdown-alert-title b">a</p>', 'p[class] has a value'],
    ['<span class="hljs-">a</span><span class="hljs-a b">', 'span[class] has a value'],
    [`<code class="language-${'a'.repeat(60)}">a</code>`, 'code[class] has a value'],
    ['<details open="open">a</details>', 'details[open] has a value'],
    ['<ol start="1e9"></ol>', 'ol[start] has a value'],
    ['<img src="/a" width="1em">', 'img[width] has a value'],
    ['<table><tr><td colspan="0">a</td></tr></table>', 'td[colspan] has a value'],
    ['<h1 id="a">b</h1>', 'h1[id] has a value'],
    ['<h1 id="user-content-a b">b</h1>', 'h1[id] has a value'],
    ['<a href="javascript:b">a</a>', 'a[href] has a value'],
    ['<a href=" JAVA\tscript:b">a</a>', 'a[href] has a value'],
    ['<img src="data:b">', 'img[src] has a value'],
    ['<img src="mailto:b@c.example">', 'img[src] has a value'],
    [frame('https://evil.example/'), 'iframe[src] has a value'],
    [frame('https://player.vimeo.com/other'), 'iframe[src] has a value'],
    [frame('https://player.vimeo.com@evil.example/video/1'), 'iframe[src] has a value'],
    [frame('http://player.vimeo.com/video/1'), 'iframe[src] has a value'],
    [frame(player, 'allow-scripts allow-top-navigation'), 'iframe[sandbox] has a value'],
    [`<iframe src="${player}"></iframe>`, '<iframe> has no sandbox'],
    ['<input type="checkbox">', '<input> has no disabled'],
    ['<li>a</li>', '<li> is not allowed here'],
    ['<table><p>a</p></table>', '<p> is not allowed here'],
    ['<a><b><a>c</a></b></a>', '<a> is not allowed here'],
    ['<b>'.repeat(201), '<b> is not allowed here'],
    ['<br/>', 'a tag that closes itself'],
    ['<b>a</b></b>', '</b> closes nothing'],
    ['<b><i>a</b></i>', '</b> closes nothing'],
    ['<b>a</b >', '</b> closes nothing'],
    ['<b>a', '<b> is not closed'],
    ['<b', 'a tag without its end'],
    ['a<b title="', 'a tag without its end'],
    ['a </b', 'a tag without its end'],
    ['a < b', 'a "<" without a tag'],
    ['<!-- a -->', 'a comment'],
    ['<!DOCTYPE html>', 'a declaration'],
    ['<?php a ?>', 'a comment'],
    ['<![CDATA[a]]>', 'a CDATA section'],
    ['<script', 'a tag without its end'],
    ['<p>a</p><style', 'a tag without its end'],
    ['&nbsp;', 'the character reference of 160'],
    ['&#60;', ''],
    ['<p title="&copy;">a</p>', 'the character reference of 169'],
  ])('finds in %j: %s', (html, reason) => {
    const finding = verifier.verify(html)
    if (reason === '') expect(finding).toBeNull()
    else expect(finding?.reason).toContain(reason)
  })

  it.each([
    ['<p>a</p><div><b>c<script>d', 17, ['div', 'b']],
    ['<p>a <b>c</b>\n<!-- d --></p>', 14, ['p']],
    ['<p>a <b>c</b>&nbsp;</p>', 13, ['p']],
    ['<p>a</p></p>', 8, []],
    ['<p>a', 4, ['p']],
  ])('says where the first finding in %j is and what is open there', (html, position, open) => {
    expect(verifier.verify(html)).toMatchObject({ position, open })
  })

  it('keeps no state between calls', () => {
    for (const html of ['<b', '<!--', '<p title="', '<p><b>', '<script>']) {
      expect(verifier.verify(html)).not.toBeNull()
      expect(verifier.verify('<p title="a">b &amp; c</p>')).toBeNull()
    }
  })

  it('finds nothing in the output of the first layer', () => {
    const renderer = new MarkdownRenderer({ markdownIt: MarkdownIt })
    fc.assert(
      fc.property(documents, (text) => {
        expect(verifier.verify(renderer.render(text))).toBeNull()
      }),
    )
  })
})

describe('verifyHtml', () => {
  it('returns verified HTML unchanged', () => {
    const html = `<p>a &amp; <a href="/b">c</a><br></p>\n${frame(player)}`
    expect(verifyHtml(html, verifier, ({ reason }) => expect.fail(reason))).toBe(html)
    expect(verifyHtml('', verifier, ({ reason }) => expect.fail(reason))).toBe('')
  })

  it('escapes everything from the first finding, and closes open elements', () => {
    const reasons: string[] = []
    const html = verifyHtml('<div><b>a<script>c</script></b></div><p>d', verifier, ({ reason }) =>
      reasons.push(reason),
    )
    expect(html).toBe(
      '<div><b>a&lt;script&gt;c&lt;/script&gt;&lt;/b&gt;&lt;/div&gt;&lt;p&gt;d</b></div>',
    )
    expect(reasons).toEqual(['<script> is not allowed'])
  })

  it('returns HTML that passes, for any input', () => {
    const pieces = [
      '<',
      '>',
      '"',
      "'",
      '/',
      '!',
      '-',
      '--',
      '&',
      ';',
      '=',
      'p',
      'a',
      'b',
      ' ',
      '\0',
      '\n',
      'script',
      '<p>',
      '</p>',
    ]
    const html = fc.array(fc.constantFrom(...pieces)).map((parts) => parts.join(''))
    fc.assert(
      fc.property(html, (some) => {
        const once = verifyHtml(some, verifier, () => {})
        expect(verifyHtml(once, verifier, ({ reason }) => expect.fail(reason))).toBe(once)
      }),
      { numRuns: 5000 },
    )
  })
})
