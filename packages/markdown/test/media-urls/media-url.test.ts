import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMediaUrls } from '../../src/media-urls/media-url.ts'
import { findMediaUrls } from '../../src/media-urls/urls-in-text.ts'
import { extractMediaUrls } from '../../src/node/extract-media-urls.ts'

const id = 'm0123456789abcdefghjkmnpqrs'
const file = `md-editor/tmp/${id}-photo.png`
const urls = createMediaUrls({
  mediaUrl: '/media/',
  publicOrigin: 'https://example.com',
  publicUrls: ['https://cdn.example/q%20g/', 'http://localhost:8080/media/'],
  tempPath: 'md-editor/tmp/',
  uploadPath: 'md-editor/uploads/%Y/%m/',
})

describe('MediaUrls.parse', () => {
  it('reads id, name, path and folder', () => {
    expect(urls.parse(`/media/${file}`)).toEqual({
      id,
      name: 'photo.png',
      path: file,
      folder: 'temporary',
    })
  })

  it.each([
    ['a query', `/media/${file}?w=300`],
    ['a fragment', `/media/${file}#t=10`],
    ['query and fragment with slashes and dots', `/media/${file}?a=/../b#//c/./d\\e`],
    ['its own origin', `https://example.com/media/${file}`],
    ['its own origin in upper case', `HTTPS://EXAMPLE.com/media/${file}`],
    ['its own origin with the port', `https://example.com:443/media/${file}`],
    ['its own host without a scheme', `//example.com/media/${file}`],
    ['a public URL with a path of its own', `https://cdn.example/q%20g/${file}`],
    ['a public URL, encoded otherwise', `https://cdn.example/%71%20g/${file}`],
    ['a public URL with a port', `http://localhost:8080/media/${file}`],
    ['a host without a scheme, with a port', `//localhost:8080/media/${file}`],
    ['percent-encoded letters', `/m%65dia/md%2Deditor/tmp/${id.replace('m', '%6d')}-ph%6Fto.png`],
    ['white space around, as browsers drop it', ` \t/media/${file}\n`],
    ['line feeds and tabs within, as browsers drop them', `/me\ndia/\t${file}`],
  ])('accepts %s', (_title, url) => {
    expect(urls.parse(url)).toMatchObject({ id, name: 'photo.png', path: file })
  })

  it.each([
    [
      'an encoded name',
      `/media/md-editor/uploads/2026/03/${id}-a%20%C3%BC(1).png`,
      'a ü(1).png',
      'permanent',
    ],
    [
      'a name of any script',
      `/media/md-editor/uploads/${id}-фото 1.png`,
      'фото 1.png',
      'permanent',
    ],
    ['an uploadPath of former times', `/media/files/${id}-a-b.png`, 'a-b.png', 'other'],
    [
      'a folder whose name begins like that of temporary files',
      `/media/md-editor/tmp-private/${id}-a`,
      'a',
      'other',
    ],
    ['a folder in that of temporary files', `/media/md-editor/tmp/x/${id}-a`, 'a', 'temporary'],
    [
      'a double encoding, decoded once',
      `/media/md-editor/tmp/${id}-%252e%252e`,
      '%2e%2e',
      'temporary',
    ],
  ])('reads %s', (_title, url, name, folder) => {
    expect(urls.parse(url)).toMatchObject({ id, name, folder })
  })

  it('needs no origin', () => {
    const relative = createMediaUrls({ mediaUrl: '/m/e/', tempPath: 'tmp/', uploadPath: '%Y/' })
    expect(relative.parse(`/m/e/tmp/${id}-a`)).toMatchObject({
      path: `tmp/${id}-a`,
      folder: 'temporary',
    })
    expect(relative.parse(`https://example.com/m/e/tmp/${id}-a`)).toBeNull()
  })
})

describe('MediaUrls.build', () => {
  it('returns the path under mediaUrl', () => {
    expect(urls.build(file)).toBe(`/media/${file}`)
  })

  it('returns a URL that parse accepts in every kind of reference', () => {
    const segment = fc
      .string({ unit: 'binary', minLength: 1 })
      .filter((text) => /^[^/\\\p{Cc}\p{Cs}]+$/u.test(text))
    fc.assert(
      fc.property(segment, (name) => {
        const path = `md-editor/tmp/${id}-${name}`
        const url = urls.build(path)
        const text = `[a](${url}) ![a](<${url}>) <img src=${url} srcset="${url} 1x,${url}">\n\n[r] [r]: x\n\n[r]: ${url}`
        const references = [...findMediaUrls(text)]
        expect(references).toHaveLength(6)
        for (const reference of references) expect(urls.parse(reference.url)?.path).toBe(path)
      }),
    )
  })
})

describe('MediaUrls.withPath', () => {
  const moved = `md-editor/uploads/2026/11/${id}-photo.png`

  it.each([
    [`/media/${file}`, `/media/${moved}`],
    [`/media/${file}?a=b&c#d`, `/media/${moved}?a=b&c#d`],
    [`https://example.com/media/${file}#d`, `https://example.com/media/${moved}#d`],
    [`//EXAMPLE.com/media/${file}`, `//EXAMPLE.com/media/${moved}`],
    [`https://cdn.example/q%20g/${file}?`, `https://cdn.example/q%20g/${moved}?`],
  ])('keeps host, query and fragment of %s', (url, expected) => {
    expect(urls.withPath(url, moved)).toBe(expected)
  })

  it.each([
    [`/%6dedia/${file}`, `/media/${moved}`],
    [`https://example.com/m%65dia/${file}#d`, `https://example.com/media/${moved}#d`],
  ])('normalizes the path of %s as the server does', (url, expected) => {
    expect(urls.withPath(url, moved)).toBe(expected)
  })

  it('returns null for foreign URLs', () => {
    expect(urls.withPath(`https://other.example/media/${file}`, moved)).toBeNull()
  })

  it('keeps the meaning of any suffix in every kind of reference', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), (suffix) => {
        const url = urls.withPath(`/media/${file}?${suffix}`, moved) ?? ''
        const meant = new URL(`https://example.com/media/${moved}?${suffix.trimEnd()}`)
        for (const text of [
          `[a](${url})`,
          `![a](<${url}> "t")`,
          `<img src="${url}">`,
          `<img src='${url}'>`,
        ]) {
          const [reference, ...rest] = extractMediaUrls(text)
          expect(rest).toEqual([])
          const read = new URL(reference ?? '', 'https://example.com')
          expect(decoded(read.search + read.hash)).toBe(decoded(meant.search + meant.hash))
        }
      }),
    )
  })
})

function decoded(suffix: string): string {
  return suffix.replace(/%([2-7][0-9a-f])/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
}
