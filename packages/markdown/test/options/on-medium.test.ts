import { describe, expect, it } from 'vitest'
import type { RenderedMedium } from '../../src/index.ts'
import { createRenderer } from '../support/create-renderer.ts'

describe('onMedium', () => {
  it('changes the URL, the size and the loading of media', () => {
    const own = createRenderer({
      onMedium: ({ element, url }) =>
        element === 'img'
          ? { url: `https://cdn.example${url}`, width: 10, height: 20, loading: 'lazy' }
          : { url: `${url}?a&b` },
    })
    const { html, media } = own.renderDocument(
      '![a](/b.png) <img src="/c.png" width="5"> <audio src="/d.mp3"></audio>',
    )
    expect(html).toBe(
      '<p><img src="https://cdn.example/b.png" alt="a" width="10" height="20" loading="lazy"> ' +
        '<img src="https://cdn.example/c.png" width="10" height="20" loading="lazy"> ' +
        '<audio src="/d.mp3?a&amp;b"></audio></p>',
    )
    expect(media.map(({ url }) => url)).toEqual(['/b.png', '/c.png', '/d.mp3'])
  })

  it('does not change media if it returns nothing', () => {
    const text = '![a](/b.png)\n\n<video src="/c.mp4" poster="/d.png"></video>'
    expect(createRenderer({ onMedium: () => undefined }).render(text)).toBe(
      createRenderer().render(text),
    )
    expect(createRenderer({ onMedium: () => ({}) }).render(text)).toBe(
      createRenderer().render(text),
    )
  })

  it.each([
    'javascript:alert(1)',
    'data:image/svg+xml,<svg>',
    ' java\tscript:alert(1)',
    'mailto:a@b.example',
  ])('cannot add %j', (url) => {
    const own = createRenderer({ onMedium: () => ({ url }) })
    expect(own.render('![a](/b.png)')).toBe('<p><img alt="a"></p>')
    // A source without its URL is removed.
    expect(own.render('a <video><source src="/b.mp4"></video> c')).toBe(
      '<p>a <video></video> c</p>',
    )
  })

  it.each([null, undefined])('changes nothing with %s', (nothing) => {
    expect(createRenderer({ onMedium: () => nothing }).render('![a](/b.png)')).toBe(
      '<p><img src="/b.png" alt="a"></p>',
    )
  })

  it('controls only its attributes, whose values are checked and escaped', () => {
    const change = { url: '/"><script>', width: -1, height: 1.5, loading: 'x', onerror: 'alert(1)' }
    const own = createRenderer({ onMedium: () => change as { url: string } })
    expect(own.render('![a](/b.png)')).toBe('<p><img src="/&quot;&gt;&lt;script&gt;" alt="a"></p>')
  })

  it('is called for each medium once per render, in order', () => {
    const calledWith: RenderedMedium[] = []
    const own = createRenderer({ onMedium: (medium) => void calledWith.push(medium) })
    const text =
      '![a](/1.png)\n\n> [![b](/2.png)](/c)\n\n[^1]\n\n[^1]: ![d](/3.png)\n\n<div>\n\n![e](/4.png)'
    for (const times of [1, 2]) {
      own.render(text)
      expect(calledWith.map(({ url }) => url)).toHaveLength(times * 4)
    }
    expect(calledWith.slice(0, 4).map(({ url }) => url)).toEqual([
      '/1.png',
      '/2.png',
      '/4.png',
      '/3.png',
    ])
  })
})
