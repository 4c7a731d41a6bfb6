import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cpuSeconds } from '../../../../tests/support/cpu-seconds.ts'
import { DefaultRenderer, defaultPolicy } from '../../../markdown/src/index.ts'
import { TEXT_COMMANDS } from '../../src/commands/commands.ts'
import { applyEdit } from '../../src/commands/edit.ts'
import { checkAddress, LINK_SCHEMES } from '../../src/dialogs/address.ts'
import { syntaxRows } from '../../src/dialogs/help-dialog.ts'
import { linkEdit, linkMarkdown, linkTarget, unlinkEdit } from '../../src/dialogs/link-text.ts'
import { type MediaKind, readMedia } from '../../src/dialogs/media-text.ts'
import { EN } from '../../src/i18n/en.ts'
import { lazyStrings } from '../../src/i18n/en-lazy.ts'
import { formatCarets, parseCarets } from '../support/caret.ts'

const words = lazyStrings(EN)
const renderer = new DefaultRenderer()

/** A limit in seconds. A quadratic algorithm takes many seconds for texts of 100 kB. */
const LIMIT = 2

describe('the link to edit in a dialog', () => {
  it.each([
    ['one at the caret', 'a [b](/c) d', 4, { label: 'b', address: '/c', title: '', exists: true }],
    [
      'with a title',
      '[b](/c "t \\" u")',
      1,
      { label: 'b', address: '/c', title: 't " u', exists: true },
    ],
    ['in angle brackets', '[b](</c d>)', 1, { label: 'b', address: '/c d', exists: true }],
    ['with parentheses', '[b](/c_(d))', 1, { address: '/c_(d)', exists: true }],
    ['around an image', '[![b](/c)](/d)', 3, { label: '![b](/c)', address: '/d', exists: true }],
    [
      'an address in brackets',
      'see <https://a.example> x',
      8,
      { address: 'https://a.example', exists: true },
    ],
    [
      'an address',
      'see https://a.example/b, x',
      8,
      { address: 'https://a.example/b', label: '', exists: false },
    ],
    ['a word', 'one two', 5, { label: 'two', address: '', exists: false }],
    ['not an image', '![b](/c)', 3, { label: 'b', exists: false }],
    ['not an escaped link', '\\[b](/c)', 3, { label: 'b', exists: false }],
  ])('%s', (_, text, caret, expected) => {
    expect(linkTarget({ text, selectionStart: caret, selectionEnd: caret })).toMatchObject(expected)
  })

  it.each([
    ['a selected address', '|https://a.example/b|', { label: '', address: 'https://a.example/b' }],
    ['a selected text', 'a |b *c*| d', { label: 'b *c*', address: '' }],
    ['nothing', 'a | b', { label: '', address: '' }],
    ['a text of two paragraphs', '|a\n\nb|', { label: 'a' }],
  ])('%s', (_, notation, expected) => {
    expect(linkTarget(parseCarets(notation))).toMatchObject(expected)
  })

  it.each([
    ['the inner one of two', '[a [b](/c) d](/e)', 4, { label: 'b', address: '/c' }],
    ['none in the text of another one', '[a [b](/c) d](/e)', 1, { label: 'a', exists: false }],
    ['after two backslashes', '\\\\[b](/c)', 3, { label: 'b', exists: true }],
    ['over two lines', '[b](\n/c\n"t"\n)', 1, { address: '/c', title: 't' }],
  ])('%s', (_, text, caret, expected) => {
    expect(linkTarget({ text, selectionStart: caret, selectionEnd: caret })).toMatchObject(expected)
  })

  it.each([
    ['blanks', `[a](${' '.repeat(100_000)}x`],
    ['tabs', `[a](\t${'\t'.repeat(100_000)}x`],
    ['spaces before a title', `[a](b${' '.repeat(100_000)}"`],
    ['brackets', '['.repeat(100_000)],
    ['escaped brackets', '[\\'.repeat(100_000)],
    ['starts of links', '[a](b "'.repeat(20_000)],
    ['parentheses', `[a](${'('.repeat(100_000)}`],
    ['starts of addresses', '<https://a'.repeat(10_000)],
  ])('is found in linear time: %s', (_, text) => {
    const readTarget = (): unknown => linkTarget({ text, selectionStart: 2, selectionEnd: 2 })
    expect(cpuSeconds(readTarget, LIMIT)).toBeLessThan(LIMIT)
  })

  it('keeps the text selected, or puts the caret after the link', () => {
    const values = { label: 'b', address: '/c', title: '' }
    const selected = parseCarets('a |b| d')
    expect(formatCarets(applyEdit(selected, linkEdit(linkTarget(selected), values, true)))).toBe(
      'a [|b|](/c) d',
    )
    const caret = parseCarets('a |')
    expect(formatCarets(applyEdit(caret, linkEdit(linkTarget(caret), values, false)))).toBe(
      'a [b](/c)|',
    )
  })

  it('is converted back to text', () => {
    const state = parseCarets('a [b \\[|](/c) d')
    const target = linkTarget(state)
    expect(applyEdit(state, unlinkEdit(target, target)).text).toBe('a b [ d')
  })
})

describe('a link in markdown', () => {
  const character = fc.constantFrom(...'ab [](){}<>"\'\\|&;%#?=/é'.split(''), '&amp;', '中')
  const some = fc.array(character, { maxLength: 12 }).map((parts) => parts.join('').trim())

  const ENTITIES: Readonly<Record<string, string>> = {
    '&amp;': '&',
    '&lt;': '<',
    '&gt;': '>',
    '&quot;': '"',
  }
  // Encodes all special characters, because the renderer encodes more of them than browsers do.
  const normal = (address: string): string =>
    new URL(address.replace(/%(?![\da-f]{2})/gi, '%25').replace(/\\/g, '%5C')).href
      .replace(/(?<!%)[^\w%]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
      .toUpperCase()

  it('has the address of the dialog, whatever its parts contain, and is read back unchanged', () => {
    fc.assert(
      fc.property(some, some, (path, title) => {
        const address = `https://a.example/${path}`
        const source = linkMarkdown({ label: 'text', address, title })
        const [, href = ''] =
          /^<p><a href="([^"]*)"[^>]*>text<\/a><\/p>\n?$/.exec(renderer.render(source)) ?? []
        expect(
          normal(href.replace(/&(amp|lt|gt|quot);/g, (entity) => ENTITIES[entity] ?? '')),
        ).toBe(normal(address))
        const read = linkTarget({ text: source, selectionStart: 2, selectionEnd: 2 })
        expect(read).toMatchObject({ label: 'text', title, exists: true })
        expect(linkMarkdown(read)).toBe(source)
      }),
    )
  })

  it.each([
    [{ label: '', address: 'https://a.example', title: '' }, '<https://a.example>'],
    [{ label: '', address: 'mailto:ada@a.example', title: '' }, '<ada@a.example>'],
    [{ label: '', address: '/page', title: '' }, '[/page](/page)'],
    [{ label: 'a]', address: '/b c', title: 'd"' }, '[a\\]](/b%20c "d\\"")'],
  ])('is written from %j as %s', (values, source) => {
    expect(linkMarkdown(values)).toBe(source)
  })
})

describe('an address as users type it', () => {
  it.each([
    ['https://a.example/b', 'https://a.example/b'],
    ['  example.com/a?b#c ', 'https://example.com/a?b#c'],
    ['www.example.com', 'https://www.example.com'],
    ['müller.example', 'https://müller.example'],
    ['example.com:8080/a', 'https://example.com:8080/a'],
    ['localhost:3000', 'http://localhost:3000'],
    ['ada@example.com', 'mailto:ada@example.com'],
    ['example.com/ferry times', 'https://example.com/ferry%20times'],
    ['/page', '/page'],
    ['#part', '#part'],
    ['notes.html', 'notes.html'],
    ['tel:+49301234', 'tel:+49301234'],
  ])('%s becomes %s', (value, address) => {
    expect(checkAddress(value, LINK_SCHEMES, words)).toEqual({ address })
  })

  it.each([
    ['', words.addressMissing],
    ['javascript:alert(1)', 'javascript:'],
    ['java\tscript:alert(1)', 'javascript:'],
    [' data:text/html,x', 'data:'],
    ['https://', words.addressBroken],
    ['http:example.com', words.addressBroken],
    ['https://a b', words.addressBroken],
    ['two words', words.addressBroken],
    ['mailto:', words.addressBroken],
  ])('is rejected: %j', (value, problem) => {
    expect(checkAddress(value, LINK_SCHEMES, words)).toEqual({
      problem: expect.stringContaining(problem),
    })
  })

  it('can have the schemes that the renderer accepts', () => {
    expect(LINK_SCHEMES).toEqual(defaultPolicy.schemes.link)
  })
})

describe('media to embed', () => {
  const read = (value: string, title = ''): ReturnType<typeof readMedia> =>
    readMedia(
      'embed',
      value,
      title,
      [...defaultPolicy.embeds, { host: 'maps.example', name: 'maps.example', sandbox: '' }],
      words,
    )

  it.each([
    ['https://youtu.be/dQw4w9WgXcQ?t=90', 'youtube-nocookie.com/embed/dQw4w9WgXcQ?start=90'],
    ['youtube.com/watch?v=dQw4w9WgXcQ', 'youtube-nocookie.com/embed/dQw4w9WgXcQ'],
    ['https://vimeo.com/76979871', 'player.vimeo.com/video/76979871'],
    ['https://codepen.io/ada/pen/abcdef', 'codepen.io/ada/embed/abcdef'],
    [
      '<iframe width="5" src="https://www.youtube.com/embed/dQw4w9WgXcQ?si=x&amp;start=3" allow="autoplay"></iframe>',
      'start=3',
    ],
    ["<iframe src='//player.vimeo.com/video/1'></iframe>", 'player.vimeo.com/video/1'],
    ['https://maps.example/a?b=c&d', 'https://maps.example/a?b=c&amp;d'],
  ])('become a player in the renderer: %s', (value, source) => {
    const embed = read(value)
    if (!('markdown' in embed)) throw new Error(embed.problem)
    const html = renderer.render(embed.markdown)
    if (!value.includes('maps')) expect(html).toContain('<iframe src="')
    expect(
      new DefaultRenderer({
        embedHosts: ['maps.example', ...defaultPolicy.embeds.map(({ host }) => host)],
      }).render(embed.markdown),
    ).toContain(source)
  })

  it.each(['<iframe ', '<iframe src', '<iframe src=" ', 'a.'])(
    'are read in linear time: %s',
    (part) => {
      expect(cpuSeconds(() => read(part.repeat(40_000)), LIMIT)).toBeLessThan(LIMIT)
    },
  )

  it('have the given title', () => {
    const embed = read('https://youtu.be/dQw4w9WgXcQ', 'A "song" <b>')
    expect(renderer.render('markdown' in embed ? embed.markdown : '')).toContain(
      'title="A &quot;song&quot; &lt;b&gt;"',
    )
  })

  it.each([
    ['', words.addressMissing],
    ['no address', words.addressBroken],
    ['javascript:alert(1)', words.schemeRefused('javascript', 'http:, https:')],
  ])('are rejected: %s', (value, problem) => {
    expect(read(value)).toEqual({ problem })
  })
})

describe('media that cannot be embedded', () => {
  const read = (kind: MediaKind, value: string, label: string): ReturnType<typeof readMedia> =>
    readMedia(kind, value, label, defaultPolicy.embeds, words)

  it.each([
    ['https://evil.example/x', '<https://evil.example/x>'],
    ['https://www.youtube.com/feed', '<https://www.youtube.com/feed>'],
    ['https://youtube.com.evil.example/embed/x', '<https://youtube.com.evil.example/embed/x>'],
    ['<iframe src="https://evil.example/"></iframe>', '<https://evil.example/>'],
  ])('become a link, which the dialog explains: %s', (value, markdown) => {
    const { host } = new URL(markdown.slice(1, -1))
    const note = words.linkInstead(host)
    expect(read('embed', value, '')).toEqual({ markdown, note })
    expect(read('video', value, 'A [title]')).toMatchObject({
      markdown: `[A [title]](${markdown.slice(1, -1)})`,
    })
  })

  it.each([
    ['image', 'https://a.example/b_(1).png', 'a "b"', '<img src="https://a.example/b_(1).png"'],
    ['image', '/c.png', '', '<img src="/c.png" alt=""'],
    ['video', 'https://a.example/b.mp4', 'Film', '<video src="https://a.example/b.mp4"'],
    ['document', 'a.example/b.pdf', 'Plan', '<a href="https://a.example/b.pdf"'],
  ] as const)('are shown with their address: %s %s', (kind, value, label, html) => {
    const media = read(kind, value, label)
    expect(renderer.render('markdown' in media ? media.markdown : '')).toContain(html)
    expect(media).toMatchObject({ note: '' })
  })
})

describe('the markdown of the help', () => {
  it.each([
    'bold',
    'italic',
    'strikethrough',
    'highlight',
    'superscript',
    'subscript',
    'code',
  ] as const)('is what the button inserts: %s', (name) => {
    const text = words.sampleText
    const state = { text, selectionStart: 0, selectionEnd: text.length }
    const edit = TEXT_COMMANDS[name].run(state)
    const [, source] = syntaxRows(words).find(([label]) => label === words.buttons[name]) ?? []
    expect(edit === null ? null : applyEdit(state, edit).text).toBe(source)
  })

  const plain = (html: string): string => html.replace(/<\/?p>|\s/g, '')

  it.each(syntaxRows(words).filter(([, , look]) => !/^(?:b|span|u)$/.test(String(look[0]))))(
    'looks as rendered: %s',
    (_, source, look) => {
      if (typeof look !== 'string') expect(renderer.render(source)).toContain(`<${look[0]}`)
    },
  )

  it.each(syntaxRows(words))('is recognized by the renderer: %s', (_, source) => {
    if (source.startsWith('<')) expect(renderer.render(source)).toMatch(/^<details>/)
    else expect(plain(renderer.render(source))).not.toBe(source.replace(/\s/g, ''))
  })
})
