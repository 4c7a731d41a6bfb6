import { readdirSync, readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DefaultRenderer } from '@quillgate/markdown'
import { describe, expect, it } from 'vitest'
import { renderComments } from '../../examples/rendering/comments.ts'
import { renderer as withCdn } from '../../examples/rendering/media.ts'
import { renderer as withPolicy } from '../../examples/rendering/policy.ts'
import { server } from '../../examples/rendering/renderer.ts'
import { tableOfContents } from '../../examples/rendering/table-of-contents.ts'
import { WikiRenderer } from '../../examples/wiki-renderer.ts'

const root = join(import.meta.dirname, '..', '..')
const guide = readFileSync(join(root, 'apps/docs/rendering.md'), 'utf8')
const source = (path: string) => readFileSync(join(root, 'packages/markdown/src', path), 'utf8')

describe('the guide to rendering', () => {
  it.each(readdirSync(join(root, 'examples/rendering')))('includes %s', (name) => {
    expect(guide).toContain(`\n<<< ../../examples/rendering/${name}\n`)
  })

  it.each([
    ['engine/renderer-options.ts', 'MarkdownRendererOptions'],
    ['node/default-renderer.ts', 'DefaultRendererOptions'],
    ['policy/policy.ts', 'RenderPolicy'],
    ['policy/policy.ts', 'ElementRule'],
    ['renderer/rendered-document.ts', 'RenderedDocument'],
  ])('describes every property in %s of %s', (path, name) => {
    const [, body = ''] =
      new RegExp(`export interface ${name}[^{]*\\{([^]*?)\\n\\}`).exec(source(path)) ?? []
    const members = [...body.matchAll(/^ {2}readonly (\w+)/gm)].map(([, member]) => member)
    expect(members.length).toBeGreaterThan(1)
    expect(members.filter((member) => !guide.includes(`\`${member}\``))).toEqual([])
  })

  it.each([
    ['highlighting/highlighter.ts', 'maxHighlightedBlock', 8000],
    ['highlighting/highlighter.ts', 'maxHighlightedDocument', 50_000],
    ['syntax/limits.ts', 'maxEmptyCells', 20_000],
    ['document/document-state.ts', 'minReferenceBudget', 100_000],
    ['writing/token-writer.ts', 'maxBacklinks', 100],
    ['engine/source.ts', 'maxGrowth', 64],
  ])('contains the limits in %s: %s', (path, name, value) => {
    const [, number = ''] = new RegExp(`const ${name} = ([\\d_]+)`).exec(source(path)) ?? []
    expect(Number(number.replaceAll('_', ''))).toBe(value)
    expect(guide).toContain(value.toLocaleString('en'))
  })
})

describe('the examples', () => {
  it('start with a page with a rendered text and the style sheet', async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const page = await (await fetch(`http://127.0.0.1:${port}`)).text()
    server.close()
    expect(page).toContain('<article class="md-content"><h1')
    expect(page).toContain('<div class="markdown-alert markdown-alert-tip">')
    expect(page).toContain('Tipp')
    expect(page).toContain('.md-content')
    expect(page).not.toContain('<script')
  })

  it('make a table of contents', () => {
    const document = new DefaultRenderer().renderDocument('# A & *b*\n\n## &lt;c>')
    expect(tableOfContents(document)).toBe(
      '<nav><ol><li class="level-1"><a href="#user-content-a--b">A &#38; b</a></li>' +
        '<li class="level-2"><a href="#user-content-c">&#60;c&#62;</a></li></ol></nav>',
    )
  })

  it('give each comment separate ids', () => {
    const comments = [1, 2].map((id) => ({ id, text: 'a[^1]\n\n[^1]: b' }))
    const ids = [...renderComments(comments).matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
    expect(ids.length).toBe(4)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('load media from a CDN', () => {
    expect(withCdn.render('![a](/media/a.png) ![b](/b.png)')).toBe(
      '<p><img src="https://cdn.example.com/media/a.png" alt="a" loading="lazy"> <img src="/b.png" alt="b" loading="lazy"></p>',
    )
    expect(withCdn.render('<video src="/media/a.mp4" poster="/media/a.png"></video>')).toBe(
      '<p><video src="https://cdn.example.com/media/a.mp4" poster="https://cdn.example.com/media/a.png"></video></p>',
    )
  })

  it('allow exactly what their policy allows', () => {
    expect(withPolicy.render('<figure class="wide size-2 x"><address>a</address></figure>')).toBe(
      '<figure class="wide size-2"><address>a</address></figure>',
    )
    expect(withPolicy.render('[a](xmpp:b)')).toBe(
      '<p><a href="xmpp:b" rel="nofollow noopener">a</a></p>',
    )
    expect(withPolicy.render('https://youtu.be/dQw4w9WgXcQ')).not.toContain('<iframe')
  })

  it('add links to text, but not to code, links or attributes', () => {
    const wiki = new WikiRenderer(new DefaultRenderer())
    expect(wiki.render('[[Größe 2]] `[[c]]`')).toBe(
      '<p><a href="/wiki/Gr%C3%B6%C3%9Fe%202">Größe 2</a> <code>[[c]]</code></p>',
    )
    for (const code of [
      '```\n[[a]]\n```',
      '1. ```sh\n   [[a]]\n   ```',
      '    [[a]]',
      '``[[a]] ` ``',
    ])
      expect(wiki.render(code)).not.toContain('/wiki/')
    expect(wiki.render('[see [[a]]](/b "[[c]]")')).not.toContain('/wiki/')
    const names = ['"onmouseover=x', '<b>', '&lt;', '../a', 'javascript:x', '\ud800']
    for (const name of names) expect(wiki.render(`[[${name}]]`)).not.toContain('/wiki/')
  })
})
