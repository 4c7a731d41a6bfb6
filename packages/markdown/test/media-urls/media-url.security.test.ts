import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMediaUrls } from '../../src/media-urls/media-url.ts'

const id = 'm0123456789abcdefghjkmnpqrs'
const file = `md-editor/tmp/${id}-photo.png`
const urls = createMediaUrls({
  mediaUrl: '/media/',
  publicOrigin: 'https://example.com',
  publicUrls: ['https://cdn.example/files/'],
  tempPath: 'md-editor/tmp/',
  uploadPath: 'md-editor/uploads/%Y/%m/',
})

describe('MediaUrls.parse rejects', () => {
  it.each([
    ['another host', `https://other.example/media/${file}`],
    ['a host that begins like ours', `https://example.com.evil/media/${file}`],
    ['our host as user', `https://example.com@evil.example/media/${file}`],
    ['a user on our host', `https://user:secret@example.com/media/${file}`],
    ['another port', `https://example.com:8443/media/${file}`],
    ['another scheme', `http://example.com/media/${file}`],
    ['file:', `file:///media/${file}`],
    ['javascript:', `javascript:/media/${file}`],
    ['data:', `data:,/media/${file}`],
    ['another host without a scheme', `//evil.example/media/${file}`],
    ['an empty host', `///media/${file}`],
    ['backslashes that browsers read as slashes', `/\\evil.example/media/${file}`],
    ['a backslash in the host', `https://example.com\\@evil.example/media/${file}`],
    ['a scheme without slashes', `https:/media/${file}`],
    ['a scheme without slashes and path', `https:media/${file}`],
    ['our path deeper in another', `/x/media/${file}`],
    ['our path in a query', `/?u=/media/${file}`],
    ['our path in a fragment', `#/media/${file}`],
    ['our path on another host, in its path', `https://cdn.example/x/files/${file}`],
    ['mediaUrl on the host of a public URL', `https://cdn.example/media/${file}`],
    ['a relative path', file],
    ['another path', `/MEDIA/${file}`],
  ])('%s (F8)', (_title, url) => {
    expect(urls.parse(url)).toBeNull()
  })

  it.each([
    ['a path that begins like ours', `/media-private/${file}`],
    ['dot segments', `/media/md-editor/tmp/../tmp-private/${id}-a`],
    ['dot segments that stay inside', `/media/md-editor/tmp/x/../${id}-a`],
    ['a single dot', `/media/md-editor/./tmp/${id}-a`],
    ['dot segments before our path', `/x/../media/${file}`],
    ['encoded dot segments', `/media/md-editor/tmp/%2e%2E/${id}-a`],
    ['half encoded dot segments', `/media/md-editor/tmp/.%2e/${id}-a`],
    ['dot segments with a tab that browsers drop', `/media/md-editor/tmp/.\t./${id}-a`],
    ['backslashes', `/media/md-editor/tmp/..\\..\\${id}-a`],
    ['encoded backslashes', `/media/md-editor/tmp/..%5c..%5C${id}-a`],
    ['encoded slashes', `/media/md-editor%2ftmp/${id}-a`],
    ['encoded slashes in the name', `/media/md-editor/tmp/${id}-..%2f..%2fa`],
    ['empty segments', `/media//${file}`],
    ['NUL', `/media/${file}%00.html`],
    ['control characters', `/media/${file}%0d%0a`],
    ['a NUL that is not encoded', `/media/${file}\0`],
  ])('%s (F9)', (_title, url) => {
    expect(urls.parse(url)).toBeNull()
  })

  it.each([
    ['the folder', '/media/md-editor/tmp/'],
    ['the folder without a slash', '/media/md-editor/tmp'],
    ['a folder that is named like a file', `/media/${file}/`],
    ['the root', '/media/'],
    ['an id without a name', `/media/md-editor/tmp/${id}`],
    ['an id with an empty name', `/media/md-editor/tmp/${id}-`],
    ['a name without an id', '/media/md-editor/tmp/1_a.png'],
    ['an id in upper case', `/media/md-editor/tmp/${id.toUpperCase()}-a`],
    ['an id in the folder only', `/media/${id}-a/b.png`],
    ['something before the id', `/media/md-editor/tmp/x${id}-a`],
    ['nothing', ''],
  ])('%s (F24)', (_title, url) => {
    expect(urls.parse(url)).toBeNull()
  })

  it.each([
    'http://[::1/a',
    'http://[',
    '//[/media/',
    'https://example.com:99999/media/a',
    `/media/${file}%`,
    `/media/${file}%ff`,
    '/media/%zz',
    'https://%/media/a',
    'https://exa mple.com/media/a',
    '\ud800',
  ])('%j without throwing (F23)', (url) => {
    expect(urls.parse(url)).toBeNull()
    expect(urls.withPath(url, file)).toBeNull()
  })

  it('never throws, and returns no path outside its folder', () => {
    const piece = fc.constantFrom(
      ...[
        '/',
        '//',
        '\\',
        '.',
        '..',
        '%2e',
        '%2f',
        '%5c',
        '%',
        '%00',
        '?',
        '#',
        ':',
        '@',
        '[',
        'https:',
        '\t',
        '\0',
        '\ud800',
      ],
      ...[
        'media',
        'md-editor',
        'tmp',
        'example.com',
        'cdn.example',
        'files',
        `${id}-a`,
        `${id}-`,
        'x',
      ],
    )
    const start = fc.constantFrom(
      '',
      '/media/',
      '/media/md-editor/tmp/',
      'https://example.com/media/',
      'https://cdn.example/files/',
    )
    fc.assert(
      fc.property(start, fc.array(piece, { maxLength: 8 }), (begin, pieces) => {
        const found = urls.parse(begin + pieces.join(''))
        if (found === null) return
        expect(found.path.split('/')).not.toEqual(
          expect.arrayContaining([expect.stringMatching(/^\.{0,2}$|[\\\0]/)]),
        )
        expect(found.path.endsWith(`${found.id}-${found.name}`)).toBe(true)
        expect(urls.parse(urls.build(found.path))).toEqual(found)
      }),
      { numRuns: 1000 },
    )
  })
})
