import { escapeHtml } from '@quillgate/markdown/grammar'
import fc from 'fast-check'
import MarkdownIt from 'markdown-it'
import { describe, expect, it } from 'vitest'
import { DefaultRenderer } from '../../../markdown/src/index.ts'
import { applyEdit } from '../../src/commands/edit.ts'
import { acceptedTypes } from '../../src/contract/file-types.ts'
import { mediaMarkdown } from '../../src/contract/media-markdown.ts'
import { EN } from '../../src/i18n/en.ts'
import { EN_LAZY } from '../../src/i18n/en-lazy.ts'
import { formatSize, problemOf } from '../../src/uploads/check-file.ts'
import {
  createPlaceholders,
  fillPlaceholder,
  findPlaceholders,
  insertApart,
} from '../../src/uploads/placeholder.ts'
import { formatCarets, parseCarets } from '../support/caret.ts'

const units = [...'ab .[]()!\\`*_<>&"\'#~^=|:/\n\té日', '👩‍💻', 'א', '\u202e', 'www.', '://']
const names = fc
  .string({ unit: fc.constantFrom(...units), maxLength: 200, size: 'max' })
  .map((name) => `x${name}y.png`)

describe('mediaMarkdown', () => {
  it('shows images, plays videos and links everything else', () => {
    expect(mediaMarkdown({ url: '/a.png', name: 'My photo.png', type: 'image/png' })).toBe(
      '![My photo](/a.png)',
    )
    expect(mediaMarkdown({ url: '/a.mp4', name: 'v.mp4', type: 'video/mp4' })).toBe(
      '<video src="/a.mp4" controls width="100%">v.mp4</video>',
    )
    expect(mediaMarkdown({ url: '/a.pdf', name: 'plan.pdf', type: 'application/pdf' })).toBe(
      '[plan.pdf](/a.pdf)',
    )
    expect(mediaMarkdown({ url: '/a', name: '.png', type: 'image/png' })).toBe('![.png](/a)')
  })

  it('escapes URLs', () => {
    expect(mediaMarkdown({ url: '/a) b(<c>', name: 'x', type: 'image/png' })).toBe(
      '![x](/a%29%20b%28%3cc%3e)',
    )
    expect(mediaMarkdown({ url: '/"onload="x', name: 'x', type: 'video/mp4' })).toContain(
      'src="/&#34;onload=&#34;x"',
    )
  })

  it('returns one image or link for any file name', () => {
    const renderer = new DefaultRenderer()
    fc.assert(
      fc.property(names, (name) => {
        const text = escapeHtml(name.replace(/[\n\t]+/g, ' '))
        const image = renderer.render(mediaMarkdown({ url: '/u', name, type: 'image/png' }))
        expect(image).toBe(`<p><img src="/u" alt="${text.slice(0, -4)}"></p>`)
        const link = renderer.render(mediaMarkdown({ url: '/u', name, type: 'text/plain' }))
        expect(link).toBe(`<p><a href="/u" rel="nofollow ugc noopener">${text}</a></p>`)
      }),
      { numRuns: 400 },
    )
  })
})

const createPlaceholder = (
  file: { name: string; type: string },
  taken: readonly string[],
): string => createPlaceholders([file], taken, EN_LAZY)[0] ?? ''

describe('placeholders', () => {
  it('differ from the existing text', () => {
    const create = (name: string, type: string, ...taken: string[]) =>
      createPlaceholder({ name, type }, taken)
    const first = create('a.png', 'image/png', '')
    expect(first).toBe('![Uploading a.png…]()')
    expect(create('a.png', 'image/png', `x ${first} y`)).toBe('![Uploading a.png (2)…]()')
    expect(create('b.pdf', 'application/pdf', first)).toBe('[Uploading b.pdf…]()')
  })

  it('of an image and a document with the same name are distinct', () => {
    const link = createPlaceholder({ name: 'a', type: 'application/pdf' }, [])
    const image = createPlaceholder({ name: 'a', type: 'image/png' }, [link])
    expect(image).toBe('![Uploading a (2)…]()')
  })

  it('are found in a text, whatever the file names are', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(names, fc.boolean()), { maxLength: 4 }),
        fc.lorem(),
        (files, words) => {
          const named = files.map(([name, isImage]) => ({
            name,
            type: isImage ? 'image/png' : 'text/plain',
          }))
          const placed = createPlaceholders(named, [words], EN_LAZY)
          const text = placed.map((each) => `${words} ${each}`).join('\n')
          const found = findPlaceholders(text, EN_LAZY)
          expect(found.map((each) => each.text).sort()).toEqual(placed.toSorted())
        },
      ),
      { numRuns: 200 },
    )
  })

  it('count up for files with the same name, beyond existing and similar ones', () => {
    const image = { name: 'a.png', type: 'image/png' }
    const counted = { name: 'a.png (3)', type: 'image/png' }
    const forms = createPlaceholders(
      [image, counted, image, image],
      ['![Uploading a.png (2)…]()'],
      EN_LAZY,
    )
    expect(forms).toEqual([
      '![Uploading a.png…]()',
      '![Uploading a.png (3)…]()',
      '![Uploading a.png (4)…]()',
      '![Uploading a.png (5)…]()',
    ])
  })

  it('of 800 screenshots with the same name are created quickly, even in a long text', () => {
    const files = Array.from({ length: 800 }, () => ({ name: 'image.png', type: 'image/png' }))
    const text = 'Some words of a long text.\n'.repeat(10_000)
    const begun = performance.now()
    const forms = createPlaceholders(files, [text], EN_LAZY)
    const more = createPlaceholders(files, [text, ...forms], EN_LAZY)
    expect(new Set([...forms, ...more]).size).toBe(1600)
    expect(more.at(-1)).toBe('![Uploading image.png (1600)…]()')
    // An earlier version took 10 seconds.
    expect(performance.now() - begun).toBeLessThan(5000)
  })

  it('are found in linear time', () => {
    const hostile = '\\['.repeat(50_000)
    const begun = performance.now()
    expect(findPlaceholders(hostile, EN_LAZY)).toEqual([])
    expect(performance.now() - begun).toBeLessThan(3000)
  })

  it('are separated from words, and several become paragraphs of their item or quote', () => {
    const insert = (notation: string, ...texts: string[]): string => {
      const state = parseCarets(notation)
      return formatCarets(applyEdit(state, insertApart(state, texts)))
    }
    expect(insert('|', 'P')).toBe('P\n\n|')
    expect(insert('|', 'P', 'Q')).toBe('P\n\nQ\n\n|')
    expect(insert('a\n|\nb', 'P')).toBe('a\n\nP\n\n|\n\nb')
    expect(insert('a |b|\n', 'P')).toBe('a b\n\nP\n\n|')
    expect(insert('a\n|', 'P', 'Q')).toBe('a\n\nP\n\nQ\n\n|')
    expect(insert('- |', 'P', 'Q')).toBe('- P\n\n  Q\n\n  |')
    expect(insert('- a|\n- b', 'P', 'Q')).toBe('- a\n\n  P\n\n  Q\n\n  |\n\n- b')
    expect(insert('> 1. a|', 'P', 'Q')).toBe('> 1. a\n>\n>    P\n>\n>    Q\n>\n>    |')
  })

  it.each([
    ['emphasis', '**one\ntw|o**\n\nthree', '**one\ntwo**\n\nP\n\n|\n\nthree'],
    ['a link', '[a](/|b) c', '[a](/b) c\n\nP\n\n|'],
    ['an item of a list', '1. o*n|e*\n2. two', '1. o*ne*\n\n   P\n\n   |\n\n2. two'],
    ['a heading', '# o|ne\ntwo', '# one\n\nP\n\n|\n\ntwo'],
    ['a table', 'a | b\n--|--\n1 ¦| 2\n', 'a | b\n--|--\n1 | 2\n\nP\n\n¦'],
    ['a code block', '```\na¦b\n\n```\nc', '```\nab\n\n```\n\nP\n\n¦\n\nc'],
    ['the start of a paragraph', 'a\n\n|b', 'a\n\nP\n\n|\n\nb'],
    ['the start of a list', 'a\n|- b', 'a\n- b\n\n  P\n\n  |'],
  ])('do not split %s', (_name, before, after) => {
    const mark = before.includes('¦') ? '¦' : '|'
    const state = parseCarets(before, mark)
    expect(formatCarets(applyEdit(state, insertApart(state, ['P'])), mark)).toBe(after)
  })

  it('of several images become separate paragraphs, and text typed after them is markdown', () => {
    const parser = new MarkdownIt({ html: true })
    const picture = mediaMarkdown({ url: '/u', name: 'a.png', type: 'image/png' })
    for (const start of ['', 'Start. ', 'Start.\n', '# Start']) {
      const state = { text: start, selectionStart: start.length, selectionEnd: start.length }
      const { text } = applyEdit(state, insertApart(state, [picture, picture, picture]))
      const html = parser.render(`${text}*typed*`)
      expect(html.match(/<p><img [^>]*><\/p>/g)).toHaveLength(3)
      expect(html).toContain('<p><em>typed</em></p>')
    }
  })

  it('keep the selection on its characters when they are replaced', () => {
    const replace = (notation: string): string => {
      const state = parseCarets(notation)
      const edit = fillPlaceholder(state, 'PPP', 'longer')
      return edit === null ? 'gone' : formatCarets(applyEdit(state, edit))
    }
    expect(replace('a| PPP b')).toBe('a| longer b')
    expect(replace('a PPP |b|')).toBe('a longer |b|')
    expect(replace('a P|PP b')).toBe('a longer| b')
    expect(replace('a| b')).toBe('gone')
  })

  it.each([
    ['|', 2, [0, 1], '|'],
    ['a|', 1, [0], 'a|'],
    ['|b', 1, [0], '|b'],
    ['one\n|\ntwo', 1, [0], 'one\n|\ntwo'],
    ['a|', 2, [0, 1], 'a|'],
    ['a|', 3, [1], 'a\n\n0\n\n2\n\n|'],
    ['|', 3, [0, 2], '1|'],
    ['- |', 2, [0], '- 1\n\n  |'],
    ['- a|\n- b', 2, [0], '- a\n\n  1\n\n  |\n\n- b'],
    ['> a|', 2, [1], '> a\n>\n> 0|'],
  ])('leave no empty lines in %j if some of %i are removed: %j', (start, count, gone, rest) => {
    const texts = Array.from({ length: count }, (_, index) => `${index}`)
    const state = parseCarets(start)
    let left = applyEdit(state, insertApart(state, texts))
    for (const index of gone) {
      const edit = fillPlaceholder(left, `${index}`, '')
      if (edit !== null) left = applyEdit(left, edit)
    }
    expect(formatCarets(left)).toBe(rest)
  })

  it('remove only white space and quote marks around them', () => {
    const lines = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '>', '- ') })
    fc.assert(
      fc.property(lines, lines, fc.integer({ min: 1, max: 4 }), (before, after, count) => {
        const caret = before.length
        const start = { text: before + after, selectionStart: caret, selectionEnd: caret }
        const texts = Array.from({ length: count }, (_, index) => `\u{1f4ce}${index}`)
        let state = applyEdit(start, insertApart(start, texts))
        for (const text of texts) {
          const edit = fillPlaceholder(state, text, '')
          if (edit !== null) state = applyEdit(state, edit)
        }
        const words = (text: string): string => text.replace(/[\s>]/g, '')
        expect(words(state.text)).toBe(words(start.text))
      }),
    )
  })
})

describe('acceptedTypes', () => {
  it('selects the allowed types of a button', () => {
    const types = 'image/png video/mp4 audio/ogg application/pdf'
    expect(acceptedTypes('image', types)).toBe('image/png')
    expect(acceptedTypes('document', types)).toBe('audio/ogg,application/pdf')
    expect(acceptedTypes(null, types)).toBe('image/png,video/mp4,audio/ogg,application/pdf')
    expect(acceptedTypes('video', 'image/png')).toBe(null)
    expect(acceptedTypes('video', null)).toBe('video/*')
    expect(acceptedTypes('document', null)).toBe('')
  })
})

describe('problemOf', () => {
  const strings = { ...EN, ...EN_LAZY }
  const problem = (type: string, types: string | null, name = 'a.bin'): string | null =>
    problemOf({ name, type, size: 5 }, { types, maxSize: null, locale: 'en' }, strings)

  it('accepts types by every name that browsers use', () => {
    expect(problem('audio/x-m4a', 'image/png audio/mp4')).toBe(null)
    expect(problem('image/jpg', 'image/jpeg')).toBe(null)
    expect(problem('image/webp', 'image/*')).toBe(null)
    expect(problem('application/x-own', '.own', 'a.OWN')).toBe(null)
    expect(problem('', 'image/png')).toBe(null)
    expect(problem('image/png', null)).toBe(null)
    expect(problem('text/html', 'text/plain image/*')).toBe(
      'a.bin was not uploaded. Only these files are accepted: TXT, PNG, APNG, JPG, GIF, WEBP, AVIF, BMP, TIF.',
    )
    expect(problem('text/html', ' .own image/jpg\nimage/heic font/*', 'a.html')).toMatch(
      / OWN, JPG, HEIC, FONT\/\*\.$/,
    )
  })

  it('rejects nothing that the server may accept by content or name', () => {
    const types = 'image/png image/jpeg audio/mpeg application/zip text/csv text/markdown'
    expect(problem('image/webp', types, 'photo.webp')).toBe(null)
    expect(problem('video/mp4', types, 'song.mp4')).toBe(null)
    expect(problem('application/vnd.ms-excel', types, 'table.CSV')).toBe(null)
    expect(problem('application/octet-stream', types, 'README.md')).toBe(null)
    expect(problem('application/x-zip-compressed', types, 'a.zip')).toBe(null)
    for (const [type, name] of [
      ['image/svg+xml', 'a.svg'],
      ['application/vnd.ms-excel', 'a.xls'],
      ['application/x-msdownload', 'a.exe'],
      ['application/pdf', 'a.pdf'],
    ] as const) {
      expect(problem(type, types, name)).toContain(`${name} was not uploaded`)
    }
  })

  it('formats sizes in the language', () => {
    expect(formatSize(999, 'en')).toBe('999 bytes')
    expect(formatSize(1_572_864, 'en')).toBe('1.5 MB')
    expect(formatSize(1_572_864, 'de')).toMatch(/^1,5\sMB$/)
    expect(formatSize(52_428_800, 'no such language')).toBe('50 MB')
  })
})
