import { extractMediaUrls } from '@quillgate/markdown-editor'
import { describe, expect, it } from 'vitest'
import { DAY, idOf, image, keyOf, png } from '../../editor-fixture.ts'
import { useEditors } from '../../use-editors.ts'

const ada = { owner: { id: 'ada' } }

const { open } = useEditors()

describe('the files that a text references', () => {
  /** Forms of images and links. The original library found only the plain Markdown form. */
  const forms: readonly (readonly [name: string, text: (url: string) => string])[] = [
    ['a title', (url) => `![a](${url} "title")`],
    ['angle brackets', (url) => `![a](<${url}>)`],
    ['a query', (url) => `![a](${url}?v=2)`],
    ['a fragment', (url) => `![a](${url}#t=1)`],
    ['a host', (url) => `![a](https://example.com${url})`],
    ['a reference', (url) => `![a][r]\n\n[r]: ${url}`],
    ['single quotes', (url) => `<img src='${url}'>`],
    ['no quotes', (url) => `<img src=${url}>`],
    ['an upper-case tag', (url) => `<IMG SRC="${url}">`],
    ['an image in a link', (url) => `[![a](${url})](/b)`],
    ['a link around an image', (url) => `[![a](/b.png)](${url})`],
    ['a poster', (url) => `<video src="/v.mp4" poster="${url}"></video>`],
    ['an escaped URL', (url) => `![a](${url.replace('-', '&#45;')})`],
  ]

  it.each(forms)(
    'keeps the file after an edit that turns an image into %s (F12)',
    async (_name, text) => {
      const { editor, addPermanent, storedKeys } = await open(
        {},
        { publicOrigin: 'https://example.com' },
      )
      const added = await addPermanent()
      expect(await editor.deleteOrphanedMedia(image(added), text(added.url))).toEqual([])
      await editor.references.set({ type: 'post', id: 1 }, image(added))
      await editor.references.set({ type: 'post', id: 1 }, text(added.url))
      expect(await storedKeys()).toEqual([keyOf(added)])
      expect(
        await editor.deleteOrphanedMedia(text(added.url), '', { record: { type: 'post', id: 1 } }),
      ).toEqual([keyOf(added)])
    },
  )

  it.each(forms)(
    'keeps a file in a sweep if a text references it by %s (F13)',
    async (_name, text) => {
      const { editor, addPermanent, clock, storedKeys } = await open()
      const added = await addPermanent()
      await editor.references.rebuild([{ type: 'post', id: 1, texts: text(added.url) }])
      clock.advance(100 * DAY)
      await editor.sweep()
      expect(await storedKeys()).toEqual([keyOf(added)])
    },
  )

  // For these texts, the original library took two to ten seconds. Only code that is not linear
  // reaches the time limit of the test. Benchmarks measure the actual times.
  it.each([
    ['open images', '<img '.repeat(24_000)],
    ['pairs of brackets', '[]('.repeat(40_000)],
    ['unclosed frames', '<iframe '.repeat(30_000)],
    ['open brackets', '['.repeat(200_000)],
    ['unclosed images', '![a]('.repeat(40_000)],
    ['unclosed comments', '<!--'.repeat(50_000)],
    ['backticks', Array.from({ length: 600 }, (_, length) => '`'.repeat(length)).join(' ')],
  ])('does not block the server for %s (F11)', async (_name, hostile) => {
    const { editor, upload } = await open()
    const { url } = await upload('a.png', png())
    const { replacements } = await editor.finalize(`${image({ url })}\n\n${hostile}`, ada)
    expect(Object.keys(replacements)).toEqual([url])
    expect(extractMediaUrls(`${image({ url })}\n\n${hostile}`)).toContain(url)
    expect(await editor.deleteOrphanedMedia(hostile, hostile)).toEqual([])
  })

  it('replaces a URL, in code too, but not as a part of another URL (F20)', async () => {
    const { editor, upload } = await open(
      { tempUploadPath: 'incoming/' },
      { publicOrigin: 'https://example.com' },
    )
    const { url } = await upload('a.png', png())
    const around = (at: string) =>
      `![a](${at}) \`${at}\` [b](https://other.example${url}) [c](/x${url})\n\n    ${at}`
    const moved = url.replace('incoming/', 'md-editor/uploads/2026/03/')
    expect((await editor.finalize(around(url), ada)).text).toBe(around(moved))
  })

  it.each([
    'http://[::1/a',
    'http://[',
    '//[/media/',
    'https://example.com:99999/media/a',
    '/media/md-editor/tmp/%E0%A4%A',
    'https://%/media/a',
    '\ud800',
  ])('ignores a malformed URL: %j (F23)', async (bad) => {
    const { editor, upload, addPermanent, clock, storedKeys } = await open()
    const [temporary, permanent] = [await upload('a.png', png()), await addPermanent()]
    const text = `[x](${bad}) <${bad}> <img src="${bad}"> ${image(temporary)}`
    expect(Object.keys((await editor.finalize(text, ada)).replacements)).toEqual([temporary.url])
    expect(await editor.references.set({ type: 'post', id: 1 }, text)).toMatchObject({
      added: [idOf(temporary.url)],
    })
    expect(await editor.deleteOrphanedMedia(`${text} ${image(permanent)}`, text)).toEqual([
      keyOf(permanent),
    ])
    clock.advance(30 * DAY)
    await editor.sweep()
    expect(await storedKeys()).toHaveLength(1)
  })

  it.each(['', '/', 'x/', '?a', '#a'])(
    'does not treat the URL of a folder as a file: …%s (F24)',
    async (end) => {
      const { editor, upload, addPermanent, storedKeys } = await open()
      await upload('a.png', png())
      await addPermanent()
      const before = await storedKeys()
      for (const folder of [
        '/media',
        '/media/md-editor',
        '/media/md-editor/tmp',
        '/media/md-editor/uploads/2026/03',
      ]) {
        const text = `[a](${folder}${end}) ![b](${folder}/${end})`
        expect(await editor.finalize(text, ada)).toEqual({ text, replacements: {}, missing: [] })
        expect(await editor.deleteOrphanedMedia(text, '')).toEqual([])
      }
      expect(await storedKeys()).toEqual(before)
    },
  )
})
