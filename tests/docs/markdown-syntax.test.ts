import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { DefaultRenderer } from '../../packages/markdown/src/index.ts'
import { constructs } from './markdown-syntax/constructs.ts'
import { pagePath, writePage } from './markdown-syntax/page.ts'

const renderer = new DefaultRenderer()
const examples = constructs.flatMap((section) => section.examples)

describe('the page of supported Markdown', () => {
  it('is what the renderer produces (write.ts updates it)', () => {
    expect(readFileSync(pagePath, 'utf8')).toBe(writePage())
  })

  it('shows every element of the renderer', () => {
    const html = examples.map(({ markdown }) => renderer.render(markdown)).join()
    const elements =
      'p h1 h2 blockquote pre code ul ol li hr br table th td a img strong em del mark sub sup input label section div iframe span'
    expect(elements.split(' ').filter((name) => !html.includes(`<${name}`))).toEqual([])
    const kinds = ['note', 'tip', 'important', 'warning', 'caution']
    expect(kinds.filter((kind) => !html.includes(`markdown-alert-${kind}`))).toEqual([])
  })
})
