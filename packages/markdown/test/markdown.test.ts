import { describe, expect, it } from 'vitest'
import { DefaultRenderer } from '../src/index.ts'

const renderer = new DefaultRenderer()
const rel = 'rel="nofollow ugc noopener"'

function constructs(
  name: string,
  rows: readonly (readonly [markdown: string, html: string])[],
): void {
  describe(name, () => {
    it.each(rows)('%j', (markdown, html) => {
      expect(renderer.render(markdown)).toBe(html)
    })
  })
}

constructs('strikethrough', [
  ['~~a~~', '<p><del>a</del></p>'],
  ['~~a **b**~~', '<p><del>a <strong>b</strong></del></p>'],
])

constructs('mark', [
  ['==a==', '<p><mark>a</mark></p>'],
  ['a==b==c', '<p>a<mark>b</mark>c</p>'],
  ['==a **b**==', '<p><mark>a <strong>b</strong></mark></p>'],
  ['**==a==**', '<p><strong><mark>a</mark></strong></p>'],
  ['== a ==', '<p>== a ==</p>'],
  ['a == b', '<p>a == b</p>'],
  ['===a===', '<p>=<mark>a</mark>=</p>'],
  ['\\==a==', '<p>==a==</p>'],
  ['`==a==`', '<p><code>==a==</code></p>'],
  ['[==a==](/x)', `<p><a href="/x" ${rel}><mark>a</mark></a></p>`],
])

constructs('superscript and subscript', [
  ['x^2^', '<p>x<sup>2</sup></p>'],
  ['H~2~O', '<p>H<sub>2</sub>O</p>'],
  ['a^b c^', '<p>a^b c^</p>'],
  ['a^b\\ c^', '<p>a<sup>b c</sup></p>'],
  ['^*a*^', '<p><sup><em>a</em></sup></p>'],
  ['*a^b*c^', '<p>*a<sup>b*c</sup></p>'],
  ['x^y~z~^', '<p>x<sup>y<sub>z</sub></sup></p>'],
  ['~~a~b~c~~', '<p><del>a<sub>b</sub>c</del></p>'],
  ['2^10 and 2^20', '<p>2^10 and 2^20</p>'],
  ['\\^a^', '<p>^a^</p>'],
  ['[~a](/~b)', `<p><a href="/~b" ${rel}>~a</a></p>`],
  ['^[a](/b)^', `<p><sup><a href="/b" ${rel}>a</a></sup></p>`],
  ['[a^b](/x)^', `<p><a href="/x" ${rel}>a^b</a>^</p>`],
])

constructs('tables', [
  [
    '| a | b |\n|:-:|---|\n| 1 | `x\\|y` |',
    '<table>\n<thead>\n<tr>\n<th align="center">a</th>\n<th>b</th>\n</tr>\n</thead>\n' +
      '<tbody>\n<tr>\n<td align="center">1</td>\n<td><code>x|y</code></td>\n</tr>\n</tbody>\n</table>',
  ],
])

constructs('autolinks', [
  [
    'https://a.example/?b=1&c=2',
    `<p><a href="https://a.example/?b=1&amp;c=2" ${rel}>https://a.example/?b=1&amp;c=2</a></p>`,
  ],
  ['(www.a.example/b).', `<p>(<a href="http://www.a.example/b" ${rel}>www.a.example/b</a>).</p>`],
  ['a@b.example', `<p><a href="mailto:a@b.example" ${rel}>a@b.example</a></p>`],
  [
    'README.md, a.example, //a.example, ftp://a.example',
    '<p>README.md, a.example, //a.example, ftp://a.example</p>',
  ],
  ['`www.a.example`', '<p><code>www.a.example</code></p>'],
  ['<a href="/x">www.a.example</a>', `<p><a href="/x" ${rel}>www.a.example</a></p>`],
])

constructs('headings', [
  [
    '# Über *uns* & `x`!',
    '<h1 id="user-content-über-uns--x">Über <em>uns</em> &amp; <code>x</code>!</h1>',
  ],
  [
    '# a\n# a\n# a-1\n# a',
    '<h1 id="user-content-a">a</h1>\n<h1 id="user-content-a-1">a</h1>\n' +
      '<h1 id="user-content-a-1-1">a-1</h1>\n<h1 id="user-content-a-2">a</h1>',
  ],
  ['# ***\n\n# 日本', '<h1>***</h1>\n<h1 id="user-content-日本">日本</h1>'],
  ['[b](#a)\n\n# a', '<p><a href="#user-content-a">b</a></p>\n<h1 id="user-content-a">a</h1>'],
])

constructs('footnotes', [
  [
    'a[^x] b[^y] c[^x]\n\n[^y]: two\n[^x]: one\n\n    more\n\n[^z]: unused',
    '<p>a<sup class="footnote-ref"><a href="#user-content-fn-1" id="user-content-fnref-1">1</a></sup> ' +
      'b<sup class="footnote-ref"><a href="#user-content-fn-2" id="user-content-fnref-2">2</a></sup> ' +
      'c<sup class="footnote-ref"><a href="#user-content-fn-1" id="user-content-fnref-1-2">1</a></sup></p>\n' +
      '<section class="footnotes">\n<ol>\n<li id="user-content-fn-1">\n<p>one</p>\n' +
      '<p>more <a href="#user-content-fnref-1" class="footnote-backref" aria-label="Back to reference 1">↩</a> ' +
      '<a href="#user-content-fnref-1-2" class="footnote-backref" aria-label="Back to reference 1-2">↩<sup>2</sup></a></p>\n' +
      '</li>\n<li id="user-content-fn-2">\n' +
      '<p>two <a href="#user-content-fnref-2" class="footnote-backref" aria-label="Back to reference 2">↩</a></p>\n' +
      '</li>\n</ol>\n</section>',
  ],
  ['a[^x]', '<p>a[^x]</p>'],
  ['[^x]: never used', ''],
  ['> [^x]: a\n\nb', '<blockquote></blockquote>\n<p>b</p>'],
  ['```\n[^x]: a\n```', '<pre><code>[^x]: a\n</code></pre>'],
])

constructs('the rest of CommonMark', [
  ['a\nb', '<p>a\nb</p>'],
  ['"quotes" -- (c)', '<p>&quot;quotes&quot; -- (c)</p>'],
  ['3. a', '<ol start="3">\n<li>a</li>\n</ol>'],
  ['``` f&ouml;&ouml;\na\n```', '<pre><code class="language-föö">a\n</code></pre>'],
  ['``` 日本語\na\n```', '<pre><code class="language-日本語">a\n</code></pre>'],
  ['``` a"><b\na\n```', '<pre><code>a\n</code></pre>'],
  ['```js x\na<b\n```', '<pre><code class="language-js">a&lt;b\n</code></pre>'],
  ['![a *b*](/c "d")', '<p><img src="/c" alt="a b" title="d"></p>'],
])
