import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { DefaultRenderer } from '../../src/index.ts'
import { applyToExpected, normalize } from './compare.ts'
import { commonmark as examples } from './examples.ts'
import { plainCode } from './measure.ts'
import { pagePath, writePage } from './page.ts'
import { measureAll, problems } from './suites.ts'

const report = measureAll()
const [commonmark] = report.suites

describe('CommonMark 0.31.2', () => {
  it('is the output of the parser alone, in 652 of 652 examples', () => {
    expect(report.parser).toMatchObject({ total: 652, same: 652 })
  })

  it('is the output of the whole renderer after the policy, in at least 643 examples', () => {
    expect(commonmark?.figures.total).toBe(652)
    expect(commonmark?.figures.conforming).toBeGreaterThanOrEqual(643)
  })
})

describe('highlighting', () => {
  it('only adds spans around parts of code', () => {
    const highlighting = new DefaultRenderer()
    const outputs = examples.map(({ markdown }) => highlighting.render(markdown))
    expect(outputs.join()).toContain('<span class="hljs-')
    const span = /<span class="hljs-[^"]*">([^<]*)<\/span>/g
    expect(outputs.map((html) => html.replace(span, '$1'))).toEqual(
      examples.map(({ markdown }) => plainCode.render(markdown)),
    )
  })
})

describe.each(report.suites)('the examples: $title', (suite) => {
  it('conform, or differ as explained', () => {
    expect(problems(suite)).toEqual([])
  })
})

describe('the README of this folder', () => {
  it('contains the measured results (report.ts --write updates it)', () => {
    expect(readFileSync(pagePath, 'utf8')).toBe(writePage(report))
  })
})

describe('the comparison', () => {
  it.each([
    ['<p>a</p>\n<hr />', '<p>a</p><hr>'],
    ['<p>&quot;&auml;</p>', '<p>"ä</p>'],
    ['<a title="b" href=c>d</a>', '<a href="c" title="b">d</a>'],
    ['<ul>\n<li>\n<p>a</p>\n</li>\n</ul>', '<ul><li><p>a</p></li></ul>'],
    ['<p>a<br />\nb</p>', '<p>a<br>b</p>'],
  ])('treats %j and %j as equal', (one, other) => {
    expect(normalize(one)).toBe(normalize(other))
  })

  it.each([
    ['<p>a  b</p>', '<p>a b</p>'],
    ['<p>a <em>b</em></p>', '<p>a<em> b</em></p>'],
    ['<pre><code>a\n\n</code></pre>', '<pre><code>a\n</code></pre>'],
    ['<li>a</li>', '<li><p>a</p></li>'],
    ['<a href="/b">c</a>', '<a href="/B">c</a>'],
    ['<p>&lt;b&gt;</p>', '<p><b></p>'],
    ['<p>a<!-- b --></p>', '<p>a</p>'],
  ])('distinguishes %j and %j', (one, other) => {
    expect(normalize(one)).not.toBe(normalize(other))
  })

  it.each([
    ['<p><blink>a</blink> <script>b</script><!-- c --><? d > e ?></p>', '<p>a </p>'],
    ['<p><style>a</style></p>', ''],
    [
      '<h1>A b</h1><h2>A b</h2>',
      '<h1 id="user-content-a-b">A b</h1><h2 id="user-content-a-b-1">A b</h2>',
    ],
    ['<a href="/b">c</a>', '<a href="/b" rel="nofollow ugc noopener">c</a>'],
    ['<a href="#b">c</a>', '<a href="#user-content-b">c</a>'],
    ['<a href="jAvascript:b">c</a>', '<a>c</a>'],
    ['<img src="data:b" onerror="c" alt="d">', '<img alt="d">'],
    ['<code class="language-a b">c</code>', '<code class="language-a">c</code>'],
    ['<div><input><li>a</li></div>', '<div>a</div>'],
  ])('expects of %j: %j', (html, after) => {
    expect(applyToExpected(html)).toBe(normalize(after))
  })

  it('detects a changed letter, a lost tag, or the HTML of the next example', () => {
    const outputs = examples.map(({ markdown }) => plainCode.render(markdown))
    const missed = examples.flatMap(({ html, number }, index) => {
      const [output = '', next = ''] = outputs.slice(index)
      const expected = applyToExpected(html)
      const damaged = [`${output}x`, output.replace(/<[^>]*>/, ''), next].filter(
        (other) => other !== output,
      )
      return damaged.some((other) => normalize(other) === expected) ? [number] : []
    })
    expect(missed).toEqual([])
  })
})
