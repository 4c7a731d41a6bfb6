import { describe, expect, it } from 'vitest'
import { embed } from '../../markdown-editor-element/src/commands/links.ts'
import { toEmbed, toEmbedHosts, toFrame } from '../src/embeds/frame.ts'
import { DefaultRenderer, defaultPolicy } from '../src/index.ts'
import { extendPolicy } from './support/extend-policy.ts'
import { all, parseStrictly } from './support/strict-html.ts'

const renderer = new DefaultRenderer()

describe('frames', () => {
  it('are sandboxed, lazy, titled and closed', () => {
    const html = renderer.render(
      '<iframe src="https://www.youtube.com/embed/abc?start=5" onload="x" name="y">',
    )
    const [frame] = all(parseStrictly(html), 'iframe')
    expect(Object.fromEntries(frame!.attributes)).toEqual({
      src: 'https://www.youtube-nocookie.com/embed/abc?start=5',
      title: 'YouTube embed',
      sandbox: 'allow-scripts allow-same-origin allow-popups allow-presentation',
      allow: 'fullscreen; encrypted-media; picture-in-picture',
      loading: 'lazy',
      referrerpolicy: 'strict-origin-when-cross-origin',
    })
  })

  it('keep only their title and size from the author', () => {
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

  it.each([
    'https://www.youtube.com/watch?v=dQw4w9WgXcQ',
    'https://vimeo.com/123',
    'https://codepen.io/ada/pen/abcDE',
  ])('for %s from the editor are rendered', (address) => {
    const edit = embed({ text: address, selectionStart: 0, selectionEnd: address.length })
    const [frame] = all(parseStrictly(renderer.render(edit!.insert)), 'iframe')
    expect(frame!.attributes.get('src')).toBe(toEmbed(address, defaultPolicy)?.['src'])
  })

  it.each([
    ['//www.youtube.com/embed/abc', 'https://www.youtube-nocookie.com/embed/abc'],
    [
      'https://www.youtube.com/embed/videoseries?list=PLa',
      'https://www.youtube-nocookie.com/embed/videoseries?list=PLa',
    ],
    [
      'https://www.youtube.com/embed/abc?autoplay=1&end=9&si=x&cc_load_policy=1&cc_lang_pref=de&enablejsapi=1',
      'https://www.youtube-nocookie.com/embed/abc?end=9&cc_load_policy=1&cc_lang_pref=de',
    ],
    [
      'https://player.vimeo.com/video/1?autoplay=1&h=abcdef12&texttrack=de#t=1m2s',
      'https://player.vimeo.com/video/1?h=abcdef12&texttrack=de&dnt=1#t=62s',
    ],
    [
      'https://codepen.io/team/a-b/embed/abcDE?default-tab=html%2Cresult&theme-id=dark&editable=true&x=y',
      'https://codepen.io/team/a-b/embed/abcDE?default-tab=html%2Cresult&theme-id=dark&editable=true',
    ],
    ['https://codepen.io/ada/embed/preview/abcDE', 'https://codepen.io/ada/embed/preview/abcDE'],
  ])('lose parameters that start playback or track the reader: %s', (address, src) => {
    expect(toFrame({ src: address }, defaultPolicy)).toMatchObject({
      kind: 'frame',
      attributes: { src },
    })
  })

  it('of YouTube keep their host if the policy has no better one', () => {
    const policy = { ...defaultPolicy, embeds: toEmbedHosts(['www.youtube.com']) }
    const src = 'https://www.youtube.com/embed/abc'
    expect(toFrame({ src }, policy)).toMatchObject({ kind: 'frame', attributes: { src } })
  })

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

  it.each(['javascript:alert(1)', 'java\nscript:alert(1)', 'data:text/html,x', '', ' '])(
    'with %j are removed',
    (address) => {
      expect(renderer.render(`<iframe src="${address}">fallback</iframe>`)).toBe('')
    },
  )

  it('without an address are removed, with or without srcdoc', () => {
    expect(renderer.render('<iframe></iframe>')).toBe('')
    expect(renderer.render('<iframe srcdoc="<script>alert(1)</script>"></iframe>')).toBe('')
  })

  it('without an end tag do not include the text after them', () => {
    const html = renderer.render('<iframe src="https://player.vimeo.com/video/1">\nb\n\n**c**')
    expect(html).toMatch(/<\/iframe>\nb\n<p><strong>c<\/strong><\/p>$/)
  })
})

describe('toEmbed', () => {
  const youtube = 'https://www.youtube-nocookie.com/embed'
  const vimeo = 'https://player.vimeo.com/video'
  const id = 'dQw4w9WgXcQ'

  it.each([
    [`https://www.youtube.com/watch?v=${id}`, `${youtube}/${id}`],
    [`http://youtube.com/watch/?app=desktop&v=${id}&feature=share`, `${youtube}/${id}`],
    [`https://m.youtube.com/watch?v=${id}&t=1m30s`, `${youtube}/${id}?start=90`],
    [`https://music.youtube.com/watch?v=${id}&si=x`, `${youtube}/${id}`],
    [`https://youtu.be/${id}?si=AbC&t=1h2m3s`, `${youtube}/${id}?start=3723`],
    [`https://youtu.be/${id}?t=90s`, `${youtube}/${id}?start=90`],
    [`https://www.youtube.com/shorts/${id}/`, `${youtube}/${id}`],
    [`https://www.youtube.com/live/${id}?start=5`, `${youtube}/${id}?start=5`],
    [`https://www.youtube.com/embed/${id}?autoplay=1`, `${youtube}/${id}`],
    [`https://www.youtube.com/watch?v=${id}&list=PLab&index=3`, `${youtube}/${id}?list=PLab`],
    [`https://www.youtube.com/watch?v=${id}&list=WL`, `${youtube}/${id}`],
    ['https://www.youtube.com/playlist?list=PLab', `${youtube}/videoseries?list=PLab`],
    ['https://vimeo.com/76979871', `${vimeo}/76979871?dnt=1`],
    [
      'https://www.vimeo.com/76979871/8272103f6e#t=90',
      `${vimeo}/76979871?h=8272103f6e&dnt=1#t=90s`,
    ],
    ['https://vimeo.com/channels/staffpicks/76979871', `${vimeo}/76979871?dnt=1`],
    ['https://vimeo.com/groups/name/videos/76979871', `${vimeo}/76979871?dnt=1`],
    ['https://vimeo.com/showcase/12/video/76979871', `${vimeo}/76979871?dnt=1`],
    [
      'https://player.vimeo.com/video/76979871?h=8272103f6e',
      `${vimeo}/76979871?h=8272103f6e&dnt=1`,
    ],
    [
      'https://codepen.io/a-b/pen/abcXYZ?editors=1010',
      'https://codepen.io/a-b/embed/abcXYZ?default-tab=result',
    ],
    ['https://codepen.io/a/full/abcXYZ/', 'https://codepen.io/a/embed/abcXYZ?default-tab=result'],
    [
      'https://codepen.io/team/a/details/abcXYZ',
      'https://codepen.io/team/a/embed/abcXYZ?default-tab=result',
    ],
  ])('recognizes %s', (address, src) => {
    const attributes = toEmbed(address, defaultPolicy)
    expect(Object.keys(attributes!)).toEqual(
      Object.keys(defaultPolicy.elements['iframe']?.attributes ?? {}),
    )
    expect(attributes).toMatchObject({ src, width: '640', height: '360', loading: 'lazy' })
    expect(toFrame(attributes!, defaultPolicy)).toEqual({ kind: 'frame', attributes })
  })

  it.each([
    'https://www.youtube.com/',
    'https://www.youtube.com/@channel',
    'https://www.youtube.com/watch?v=short',
    `https://www.youtube.com/watch?v=${id}x`,
    'https://www.youtube.com/watch?v=dQw4w9Wg%22cQ',
    'https://www.youtube.com/watch?list=PLab',
    'https://www.youtube.com/playlist?list=LL',
    `https://www.youtube.com/results/${id}`,
    `https://youtu.be/${id}/x`,
    `https://www.youtube.com.evil.example/watch?v=${id}`,
    `https://www.youtube.com@evil.example/watch?v=${id}`,
    `https://user@www.youtube.com/watch?v=${id}`,
    `https://www.youtube.com:8443/watch?v=${id}`,
    `ftp://www.youtube.com/watch?v=${id}`,
    `javascript://www.youtube.com/watch?v=${id}`,
    `/watch?v=${id}`,
    'https://vimeo.com/about',
    'https://vimeo.com/76979871/settings',
    'https://codepen.io/pen/abcXYZ',
    'https://codepen.io/a/pen/new',
    'https://codepen.io/a/pen/abcXYZ/../x',
    'https://example.com/',
    'https://',
    '',
  ])('does not recognize %j', (address) => {
    expect(toEmbed(address, defaultPolicy)).toBeNull()
  })

  it('recognizes only players whose host the policy allows', () => {
    const only = (...hosts: string[]) => ({ ...defaultPolicy, embeds: toEmbedHosts(hosts) })
    expect(toEmbed(`https://youtu.be/${id}`, only())).toBeNull()
    expect(toEmbed(`https://youtu.be/${id}`, only('player.vimeo.com'))).toBeNull()
    expect(toEmbed(`https://youtu.be/${id}`, only('www.youtube.com'))?.['src']).toBe(
      `https://www.youtube.com/embed/${id}`,
    )
  })
})

describe('addresses alone on a line', () => {
  const address = 'https://youtu.be/dQw4w9WgXcQ'

  function shapeOf(markdown: string): string {
    return renderer
      .render(markdown)
      .replace(/<iframe [^>]*><\/iframe>/g, 'F')
      .replace(/<a .*?<\/a>/g, 'L')
  }

  it('become frames', () => {
    const [frame] = all(parseStrictly(renderer.render(`${address}?t=5&si=x`)), 'iframe')
    const attributes = toEmbed(`${address}?t=5`, defaultPolicy)
    expect(Object.fromEntries(frame!.attributes)).toEqual(attributes)
  })

  it.each([
    ['in a paragraph of its own', `${address}\n\na`, '<p>F</p>\n<p>a</p>'],
    ['in angle brackets', `<${address}>`, '<p>F</p>'],
    ['without a scheme', 'www.youtube.com/watch?v=dQw4w9WgXcQ', '<p>F</p>'],
    ['with underscores and hyphens', 'https://www.youtube.com/watch?v=_a_b-_c_d__', '<p>F</p>'],
    ['with white space around', `a\n  ${address}  \nb`, '<p>a\nF<br>\nb</p>'],
    ['one after the other', `${address}\n${address}  \n${address}`, '<p>F\nF<br>\nF</p>'],
    ['in a quote', `> ${address}`, '<blockquote>\n<p>F</p>\n</blockquote>'],
    ['in a list item, below its first line', `- a\n  ${address}`, '<ul>\n<li>a\nF</li>\n</ul>'],
    [
      'in a list item, in a separate paragraph',
      `- a\n\n  ${address}`,
      '<ul>\n<li>\n<p>a</p>\n<p>F</p>\n</li>\n</ul>',
    ],
  ])('become frames %s', (_, markdown, shape) => {
    expect(shapeOf(markdown)).toBe(shape)
  })

  it.each([
    [
      'with text on the same line',
      `a ${address}\n${address} b\n${address}.`,
      '<p>a L\nL b\nL.</p>',
    ],
    ['on the same line', `${address} ${address}`, '<p>L L</p>'],
    ['with a link text', `[a](${address})`, '<p>L</p>'],
    ['as the text of a link', `[${address}](${address})`, '<p>L</p>'],
    ['by a definition', `[a]\n\n[a]: ${address}`, '<p>L</p>'],
    ['in emphasis', `*a\n${address}\nb*`, '<p><em>a\nL\nb</em></p>'],
    ['in a heading', `# ${address}`, /^<h1 [^>]*>L<\/h1>$/],
    ['in a table', `|a|\n|-|\n|${address}|`, /<td>L<\/td>/],
    [
      'after the marker of a list item',
      `- ${address}\n- ${address}`,
      '<ul>\n<li>L</li>\n<li>L</li>\n</ul>',
    ],
    ['in a task', `- [ ] a\n  ${address}\n  b`, /<\/?label>|> a\nL\nb</],
    ['after the marker of a footnote', `a[^1]\n\n[^1]: ${address}`, /<p>L L<\/p>/],
    ['to other pages', 'https://example.com/', '<p>L</p>'],
    ['to pages without a video', 'https://www.youtube.com/@channel', '<p>L</p>'],
  ])('remain links %s', (_, markdown, shape) => {
    const actual = shapeOf(markdown)
    if (typeof shape === 'string') expect(actual).toBe(shape)
    else expect(actual).toMatch(shape)
    expect(actual).not.toContain('F')
  })

  it('remain code in code', () => {
    expect(shapeOf(`    ${address}\n\n\`${address}\``)).toBe(
      `<pre><code>${address}\n</code></pre>\n<p><code>${address}</code></p>`,
    )
  })

  it.each([
    [
      'too deep',
      { maxDepth: 2 },
      `> a\n> ${address}`,
      `<blockquote>\n<p>a\n${address}</p>\n</blockquote>`,
    ],
    [
      'without the required parent',
      { elements: { iframe: { parents: ['figure'] } } },
      `<${address}>`,
      '<p>L</p>',
    ],
    [
      'without the required parent, with an underscore',
      { elements: { iframe: { parents: ['figure'] } } },
      `${address.slice(0, -1)}_`,
      '<p>L_</p>',
    ],
  ] as const)('keep their text if no frame is possible: %s', (_, extension, markdown, shape) => {
    const own = new DefaultRenderer({ policy: extendPolicy(extension) })
    expect(own.render(markdown).replace(/<a .*?<\/a>/g, 'L')).toBe(shape)
  })

  it('remain links if the policy does not have the host', () => {
    expect(new DefaultRenderer({ embedHosts: ['player.vimeo.com'] }).render(address)).toMatch(
      /^<p><a /,
    )
  })
})
