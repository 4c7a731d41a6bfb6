import { describe, expect, it } from 'vitest'
import { createRenderer } from '../support/create-renderer.ts'
import { extendPolicy } from '../support/extend-policy.ts'
import { judge } from '../support/judge.ts'

describe('highlight', () => {
  const highlight = (code: string, language: string): string | null =>
    language === 'known' ? `<span class="hljs-string">${code}</span>` : null
  const renderer = createRenderer({ highlight })
  const fence = (code: string, language = 'known'): string => `\`\`\`${language}\n${code}\n\`\`\``
  const count = (text: string): number => renderer.render(text).split('<span').length - 1

  it('receives the code and the first word of the info string', () => {
    expect(renderer.render(fence('a', 'known {1}'))).toBe(
      '<pre><code class="language-known"><span class="hljs-string">a\n</span></code></pre>',
    )
  })

  it('leaves code plain in other languages and in none', () => {
    expect(renderer.render(fence('<a>', 'other'))).toBe(
      '<pre><code class="language-other">&lt;a&gt;\n</code></pre>',
    )
    expect(count(`${fence('a', '')}\n\n    b\n\n\`c\``)).toBe(0)
  })

  it('leaves code plain that is longer than 8,000 units, without counting it', () => {
    expect(count(fence('a'.repeat(7999)))).toBe(1)
    expect(count(fence('a'.repeat(8000)))).toBe(0)
    expect(count(`${fence('a'.repeat(49_000))}\n\n${fence('a'.repeat(5000))}`)).toBe(1)
  })

  it('leaves code plain that does not fit into the first 50,000 units of code', () => {
    const large = fence('a'.repeat(7999)) // 8,000 units with its line break.
    expect(count(Array(8).fill(large).join('\n\n'))).toBe(6)
    expect(count([...Array(6).fill(large), large, fence('b')].join('\n\n'))).toBe(7)
  })

  it('leaves code plain where spans are not allowed', () => {
    const html = renderer.render(`<table>\n\n${fence('a')}\n\n</table>`)
    expect(html).not.toContain('<span')
    expect(html).toContain('a')
    expect(judge(html)).toEqual([])
  })

  it.each([
    ['<img src=x onerror=alert(1)>'],
    ['</code></pre><h1 id="user-content-x">a</h1><pre><code>'],
    [
      '<iframe src="https://www.youtube.com/embed/x" sandbox="allow-scripts" allow="camera"></iframe>',
    ],
    ['<span class="hljs-string">other code</span>'],
    ['<span class="hljs-string">a\n'],
  ])('leaves code plain if it returns more than the code and spans: %s', (result) => {
    expect(createRenderer({ highlight: () => result }).render(fence('a'))).toBe(
      '<pre><code class="language-known">a\n</code></pre>',
    )
  })

  it('is not called if the policy allows no spans', () => {
    const own = createRenderer({ highlight, policy: extendPolicy({ elements: { span: null } }) })
    expect(own.render(fence('a'))).toBe('<pre><code class="language-known">a\n</code></pre>')
  })
})
