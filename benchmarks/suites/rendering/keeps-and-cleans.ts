import type { Render } from './renderers.ts'

const probe = `
# Title

- [x] done ~~gone~~

| a | b |
|---|---|
| 1 | 2 |

<details><summary>More</summary>

**bold** <kbd>K</kbd> <sub>2</sub> <img src="https://example.org/a.png" width="10" onerror="alert(1)">

</details>

[x](javascript:alert(1)) <a href="java&#10;script:alert(1)">y</a> <script>alert(1)</script> <b onclick="alert(1)">z</b>
<iframe src="https://evil.example"></iframe> <form action="https://evil.example"><button>b</button></form>
`

const kept = [
  '<h1',
  '<input',
  '<table',
  '<details',
  '<summary',
  '<strong',
  '<kbd',
  '<sub',
  '<img',
  'width="10"',
  '<b>',
]
const removed = /<(?:script|iframe|form|button)|<[^>]* on\w+=|href="?\s*java/i

/**
 * Checks that a renderer does the same work as ours. It must keep GFM and a useful subset of HTML,
 * and remove dangerous HTML. This is only a small test and does not prove safety.
 */
export function keepsAndCleans(render: Render): boolean {
  const html = render(probe)
  return kept.every((part) => html.includes(part)) && !removed.test(html)
}
