import { describe, expect, it } from 'vitest'
import { judge } from '../support/judge.ts'
import { judgeInPages } from '../support/page-judge.ts'

const link = 'rel="nofollow ugc noopener"'

const elements: readonly string[] = [
  '<script></script>',
  '<p onclick="a"></p>',
  '<p style="position:fixed"></p>',
  '<p data-x="a"></p>',
  '<p name="a"></p>',
  '<p href="/a"></p>',
  '<p id="csrf"></p>',
  '<h1 id="csrf"></h1>',
  '<h1 id="user-content-a b"></h1>',
  '<p class="admin"></p>',
  '<code class="language-js modal"></code>',
  '<span class="hljs-keyword modal"></span>',
  `<a href="javascript:alert(1)" ${link}>a</a>`,
  `<a href="java\nscript:a" ${link}>a</a>`,
  `<a href="\u0001javascript:a" ${link}>a</a>`,
  `<a href="data:text/html,a" ${link}>a</a>`,
  '<a href="/x">a</a>',
  '<a href="/x" rel="opener">a</a>',
  '<img src="mailto:a@b.example">',
  '<img src="data:image/svg+xml,a">',
  '<q cite="javascript:alert(1)"></q>',
  '<input type="text">',
  '<input type="checkbox">',
  '<iframe src="https://evil.example" sandbox=""></iframe>',
  '<iframe src="https://www.youtube.com/embed/a"></iframe>',
  '<iframe src="https://www.youtube.com/embed/a" sandbox="allow-top-navigation"></iframe>',
  '<iframe src="https://www.youtube.com@evil.example/embed/a" sandbox="allow-scripts"></iframe>',
  '<iframe srcdoc="a" sandbox="allow-scripts"></iframe>',
]

describe('judge', () => {
  it.each([
    ...elements,
    '<p>',
    '</p>',
    '<b><i></b></i>',
    '<p',
    '<img src=x>',
    'a < b',
    '&colon;',
    '<!-- a -->',
    '<li></li>',
    '<table><div></div></table>',
    `<a href="/x" ${link}><b><a href="/y" ${link}>a</a></b></a>`,
    '\ud800',
    '\0',
  ])('rejects %j', (html) => {
    expect(judge(html)).not.toEqual([])
  })
})

describe('judgeInPages', () => {
  it.each([
    ...elements,
    ...['<img src="/a"', '<img alt="', '<!-- a', '<!-- a -->', '<?a?>', '<![CDATA[a]]>'],
    ...['</div>', '</td>', '</li>', '</blockquote>', '</body>', '</main>', '</table>'],
    ...[
      '<div>',
      '<b>',
      '<ul><li>',
      '<table>',
      '<td>',
      '<tr>',
      '<li>',
      '<body title="a">',
      '<html lang="a">',
    ],
    ...['<svg></svg>', '<math></math>', '<p><i><p>', '<ruby><rt>'],
    ...[
      '<form></form>',
      '<select><option>',
      '<textarea>',
      '<title>',
      '<style>',
      '<plaintext>',
      '<template>',
    ],
  ])('rejects %j', (html) => {
    expect(judgeInPages(html)).not.toEqual([])
  })
})

describe.each([
  ['judge', judge],
  ['judgeInPages', judgeInPages],
])('%s', (_, condemn) => {
  it.each([
    '<p>a <strong>b</strong> &amp; &lt;c&gt;</p>\n<hr>',
    `<h2 id="user-content-a">a</h2>\n<p><a href="/b?c=1&amp;d=2" ${link} title="&quot;">e</a> <a href="#user-content-a">f</a></p>`,
    '<table>\n<thead>\n<tr>\n<th align="left">a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>b</td>\n</tr>\n</tbody>\n</table>',
    '<ul class="contains-task-list">\n<li class="task-list-item"><label><input type="checkbox" disabled> a</label></li>\n</ul>',
    '<div class="markdown-alert markdown-alert-note">\n<p class="markdown-alert-title">Note</p>\n</div>',
    '<pre><code class="language-js"><span class="hljs-title function_">a</span>\n</code></pre>',
    '<iframe src="https://player.vimeo.com/video/1" sandbox="allow-scripts allow-same-origin" loading="lazy"></iframe>',
    '<video src="/a.mp4" controls><source src="/b.mp4" type="video/mp4"></video><details open><summary>a</summary>b</details>',
    '<pre>\n\n\na</pre>',
    '<pre title="&gt;">\n\n</pre>',
    'a',
    '',
  ])('accepts %j', (html) => {
    expect(condemn(html)).toEqual([])
  })
})
