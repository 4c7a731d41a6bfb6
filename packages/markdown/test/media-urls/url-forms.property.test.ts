import { DefaultRenderer } from '@quillgate/markdown'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findMediaIds } from '../../src/media-urls/media-id.ts'
import { createMediaUrls } from '../../src/media-urls/media-url.ts'
import { findMediaUrls, rewriteUrls } from '../../src/media-urls/urls-in-text.ts'

const numRuns = Number(process.env['QUILLGATE_PROPERTY_RUNS'] ?? 1500)

const id = 'm0123456789abcdefghjkmnpqrs'
const renderer = new DefaultRenderer()
const urls = createMediaUrls({
  mediaUrl: '/media/',
  publicOrigin: 'https://example.com',
  publicUrls: ['https://cdn.example.net:8443/assets/v1/'],
  tempPath: 'md-editor/tmp/',
  uploadPath: 'md-editor/uploads/%Y/%m/',
})
const path = `md-editor/tmp/${id}-größe_1.png`
const moved = `md-editor/uploads/2026/03/${id}-größe_1.png`

const percentOf = (character: string, upper: boolean): string => {
  const encoded = [...new TextEncoder().encode(character)]
    .map((byte) => `%${byte.toString(16).padStart(2, '0')}`)
    .join('')
  return upper ? encoded.toUpperCase() : encoded
}
const spelled = fc
  .array(fc.constantFrom('plain', 'plain', 'plain', 'lower', 'upper'), {
    minLength: path.length,
    maxLength: path.length,
  })
  .map((ways) => {
    const characters = [...path].map((character, index) => {
      if (character === '/' || ways[index] === 'plain')
        return /[a-z0-9/_.-]/i.test(character) ? character : encodeURI(character)
      return percentOf(character, ways[index] === 'upper')
    })
    return characters.join('')
  })
const bases = fc.constantFrom(
  '/media/',
  '/m%65dia/',
  'https://example.com/media/',
  'HTTPS://EXAMPLE.com:443/media/',
  '//example.com/media/',
  'https://cdn.example.net:8443/assets/v1/',
  '//CDN.example.net:8443/assets/v%31/',
)
const suffixes = fc.constantFrom('', '?', '?w=1', '#t', '?a=1&b=2', '?a=/b/../c#d', '?x=%2F', '#')
const url = fc.tuple(bases, spelled, suffixes).map((parts) => parts.join(''))

/** Returns a character of a URL in another spelling, for example as a character reference. */
const reference = (character: string, way: string): string => {
  const code = character.codePointAt(0) ?? 0
  if (way === 'decimal') return `&#${code};`
  if (way === 'hexadecimal') return `&#x${code.toString(16).toUpperCase()};`
  if (way === 'backslash' && /[!-/:-@[-`{-~]/.test(character)) return `\\${character}`
  if (way === 'name' && character === '%') return '&percnt;'
  // Browsers ignore tabs and line breaks in URLs.
  if (way === 'tab') return `${character}\t`
  if (way === 'line' && /[a-z]/.test(character)) return `\n${character}`
  return character
}
const ways = (...kinds: readonly string[]) =>
  fc.array(fc.constantFrom('', '', '', '', ...kinds), { minLength: 200, maxLength: 200 })
const written = (text: string, how: readonly string[]): string =>
  [...text].map((one, index) => reference(one, how[index] ?? '')).join('')

const inMarkdown: readonly ((at: string) => string)[] = [
  (at) => `![a](${at})`,
  (at) => `[a](<${at}> "t")`,
  (at) => `a ![b][r] c\n\n[r]: ${at} 'title'`,
  (at) => `> - ![a](\n>   ${at})`,
  (at) => `| a | b |\n|---|---|\n| ![c](${at}) | d |`,
  (at) => `a[^1]\n\n[^1]: [b](${at})`,
  (at) => `**a [![b](/t.png)](${at})**`,
  (at) => `# [a](${at})\n\n[b](/x)`,
]
const inHtml: readonly ((at: string) => string)[] = [
  (at) => `<img src="${at}">`,
  (at) => `a <IMG alt=b SRC='${at}'> c`,
  (at) => `<div>\n<img\nsrc = "${at}"></div>`,
  (at) => `<video controls poster="/t.png" src="${at}"></video>`,
  (at) => `<video poster='${at}' src="/v.mp4"></video>`,
  (at) => `<audio controls><source src="${at}"></audio>`,
  (at) => `<a href="${at}">a</a>`,
]
const texts = fc
  .oneof(
    fc.tuple(
      fc.constantFrom(...inMarkdown),
      url,
      ways('decimal', 'hexadecimal', 'backslash', 'name'),
    ),
    fc.tuple(fc.constantFrom(...inHtml), url, ways('decimal', 'hexadecimal', 'name')),
  )
  .map(([place, at, how]) => place(written(at, how)))

// Raw HTML whose URLs can also contain tabs and line breaks.
const broken = fc
  .tuple(fc.constantFrom(...inHtml), url, ways('decimal', 'hexadecimal', 'name', 'tab', 'line'))
  .map(([place, at, how]) => place(written(at, how)))

describe('a media URL in any spelling', () => {
  it('is found and replaced where the page displays it, and protects its file', {
    timeout: 20_000 + numRuns * 10,
  }, () => {
    fc.assert(
      fc.property(texts, (text) => {
        const found = [...findMediaUrls(text)].filter((one) => urls.parse(one.url)?.id === id)
        expect(found).toHaveLength(1)
        expect(
          renderer.renderDocument(text).media.filter((one) => urls.parse(one.url)?.id === id),
        ).toHaveLength(1)
        expect(findMediaIds(text)).toEqual(new Set([id]))

        const [one] = found
        const target = urls.withPath(one?.url ?? '', moved) ?? ''
        const after = rewriteUrls(text, new Map([[one?.raw ?? '', target]]))
        expect(after).toBe(text.replace(one?.raw ?? '', () => target))
        const [shown] = renderer
          .renderDocument(after)
          .media.flatMap(({ url: each }) => urls.parse(each) ?? [])
        expect(shown).toMatchObject({ id, path: moved, folder: 'permanent' })
      }),
      { numRuns },
    )
  })

  it('protects its file even with tabs and line breaks', () => {
    fc.assert(
      fc.property(broken, (text) => {
        const { media } = renderer.renderDocument(text)
        expect(media.filter((one) => urls.parse(one.url)?.id === id)).toHaveLength(1)
        expect(findMediaIds(text)).toEqual(new Set([id]))
      }),
      { numRuns },
    )
  })

  it('is the URL that a browser would request from the server', () => {
    fc.assert(
      fc.property(url, (at) => {
        const asked = new URL(at, 'https://example.com/posts/1')
        const isOurs = ['https://example.com', 'https://cdn.example.net:8443'].includes(
          asked.origin,
        )
        expect(isOurs).toBe(true)
        expect(urls.parse(asked.href)).toEqual(urls.parse(at))
        expect(urls.parse(at)?.path.normalize('NFC')).toBe(path)
      }),
      { numRuns },
    )
  })
})
