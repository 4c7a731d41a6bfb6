import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parse } from 'parse5'
import { describe, expect, it } from 'vitest'
import { DefaultRenderer } from '../../src/index.ts'

type Node = DefaultTreeAdapterTypes.Node

const renderer = new DefaultRenderer()
const flowContainers = [
  'div',
  'section',
  'article',
  'main',
  'aside',
  'blockquote',
  'figure',
  'details',
  'li',
  'dd',
]
const texts = [
  'text',
  '# h',
  'a\n\nb',
  '- [ ] x',
  '> q',
  '| a |\n|-|\n| b |',
  '```\nx\n```',
  '[a](/b) **c** ![d](/e.png) https://f.example',
  '---',
  '<details><summary>s</summary>t',
  '<div><dl><dt>a<dd>b</div>',
  '</div></section></article></main></aside></blockquote></figure></details></li></dd></body></html>',
  '<h1>x',
  '<p align=center>y',
  '<a href="/x"><b><i>z',
  '<table><caption>c</caption><tr><td>1',
  '<video controls src="/v">',
  'https://youtu.be/dQw4w9WgXcQ',
  '[^1]\n\n[^1]: n',
]

describe('rendered HTML', () => {
  it.each(flowContainers)('stays in the <%s> that the page puts it into', (container) => {
    expect(texts.filter((text) => !staysIn(container, text))).toEqual([])
  })

  // In HTML, a block ends an open paragraph, and a link ends an open link. See SECURITY.md.
  it.each([
    ['p', '# h'],
    ['h1', '# h'],
    ['a href="/"', '[a](/b)'],
  ])('can leave a <%s>, which cannot contain all rendered HTML', (container, text) => {
    expect(staysIn(container, text)).toBe(false)
  })
})

/** Returns true if the HTML of a text neither closes the container nor leaves elements open. */
function staysIn(container: string, text: string): boolean {
  const [name = ''] = container.split(' ')
  const html = renderer.render(text)
  const page = parse(
    `<!doctype html><body><nav id="page"><${container} id="own">${html}<u id="in"></u></${name}><u id="after"></u></nav>`,
  )
  return pathTo(page, 'in').includes('own') && pathTo(page, 'after').at(-1) === 'page'
}

function pathTo(parent: Node, id: string, around: readonly string[] = []): readonly string[] {
  if (!('childNodes' in parent)) return []
  for (const node of parent.childNodes) {
    const own = defaultTreeAdapter.isElementNode(node)
      ? node.attrs.find(({ name }) => name === 'id')?.value
      : undefined
    if (own === id) return around
    const found = pathTo(node, id, own === undefined ? around : [...around, own])
    if (found.length > 0) return found
  }
  return []
}
