import { describe, expect, it } from 'vitest'
import { embedFrame, embedSource } from '../../src/client/commands/embed.ts'
import { DefaultRenderer } from '../../src/rendering/index.ts'
import { all, parseStrictly } from './support/strict-html.ts'

const renderer = new DefaultRenderer()

describe('frames', () => {
  it('are sandboxed, lazy, titled and closed', () => {
    const html = renderer.render('<iframe src="https://www.youtube.com/embed/abc?start=5" onload="x" name="y">')
    const [frame] = all(parseStrictly(html), 'iframe')
    expect(Object.fromEntries(frame!.attributes)).toEqual({
      src: 'https://www.youtube.com/embed/abc?start=5',
      title: 'YouTube embed',
      sandbox: 'allow-scripts allow-same-origin allow-popups allow-presentation',
      allow: 'fullscreen; encrypted-media; picture-in-picture',
      allowfullscreen: '',
      loading: 'lazy',
      referrerpolicy: 'strict-origin-when-cross-origin',
    })
  })

  it('keep their title and size, and nothing else of what the author says', () => {
    const [frame] = all(
      parseStrictly(
        renderer.render(
          '<iframe title="a" width="100%" height=400 sandbox="allow-top-navigation" allow="camera" loading=eager ' +
            'src="https://player.vimeo.com/video/1"></iframe>',
        ),
      ),
      'iframe',
    )
    expect(frame!.attributes.get('title')).toBe('a')
    expect(frame!.attributes.get('width')).toBe('100%')
    expect(frame!.attributes.get('height')).toBe('400')
    expect(frame!.attributes.get('sandbox')).not.toContain('top-navigation')
    expect(frame!.attributes.get('allow')).not.toContain('camera')
    expect(frame!.attributes.get('loading')).toBe('lazy')
  })

  it.each(['https://www.youtube.com/watch?v=abc', 'https://vimeo.com/123', 'https://codepen.io/ada/pen/abc'])(
    'of the editor for %s are shown',
    (address) => {
      const source = embedSource(address)
      const [frame] = all(parseStrictly(renderer.render(embedFrame(source!))), 'iframe')
      expect(frame!.attributes.get('src')).toBe(source!.url)
      expect(frame!.attributes.get('title')).toBe(source!.title)
    },
  )

  it.each([
    'http://www.youtube.com/embed/abc',
    'https://www.youtube.com.evil.example/embed/abc',
    'https://www.youtube.com@evil.example/embed/abc',
    'https://user@www.youtube.com/embed/abc',
    'https://www.youtube.com:8443/embed/abc',
    'https://www.youtube.com/redirect?q=x',
    'https://www.youtube.com/embed/../redirect?q=x',
    '//evil.example/',
    '/own/page',
  ])('of other pages become a link: %s', (address) => {
    const root = parseStrictly(renderer.render(`<iframe src="${address}">fallback</iframe>`))
    expect(all(root, 'iframe')).toEqual([])
    expect(all(root, 'a').map(({ attributes }) => attributes.get('href'))).toEqual([address])
  })

  it.each(['javascript:alert(1)', 'java\nscript:alert(1)', 'data:text/html,x', 'http://[x', '', ' '])(
    'with %j vanish',
    (address) => {
      expect(renderer.render(`<iframe src="${address}">fallback</iframe>`)).toBe('')
    },
  )

  it('without an address vanish, srcdoc or not', () => {
    expect(renderer.render('<iframe></iframe>')).toBe('')
    expect(renderer.render('<iframe srcdoc="<script>alert(1)</script>"></iframe>')).toBe('')
  })

  it('without an end tag do not swallow the text behind them', () => {
    const html = renderer.render('<iframe src="https://player.vimeo.com/video/1">\nb\n\n**c**')
    expect(html).toMatch(/<\/iframe>\nb\n<p><strong>c<\/strong><\/p>$/)
  })
})
