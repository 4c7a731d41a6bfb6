import {
  BaseUploadHandler,
  DefaultUploadHandler,
  type FinalizeContext,
  type UploadedFile,
} from '@quillgate/markdown-editor'
import { memoryStorage } from '@quillgate/storage/testing'
import { describe, expect, it } from 'vitest'
import { idOf, keyOfUrl, png } from '../editor-fixture.ts'
import { useEditors } from '../use-editors.ts'

const { open } = useEditors()

const permanentOf = (temporary: string): string => temporary.replace('/tmp/', '/uploads/2026/03/')
const owner = { id: 'ada' }

describe('editor.finalize', () => {
  it.each([
    ['an image', (url: string) => `![a](${url})`],
    ['an image with a title (F18)', (url: string) => `![a](${url} "a title")`],
    ['angle brackets (F18)', (url: string) => `![a](<${url}>)`],
    ['spaces around', (url: string) => `![a](  ${url}  )`],
    ['a reference (F18)', (url: string) => `![a][i]\n\n[i]: ${url}`],
    ['a link', (url: string) => `[a](${url})`],
    ['an upper-case tag (F18)', (url: string) => `<IMG SRC="${url}">`],
    ['single quotes (F18)', (url: string) => `<img src='${url}'>`],
    ['a video and its poster', (url: string) => `<video poster="${url}" src="/v.mp4"></video>`],
    ['an autolink', (url: string) => `<https://example.com${url}>`],
    ['a linked image (F18)', (url: string) => `[![t](/t.png)](${url})`],
    ['a code span', (url: string) => `\`![a](${url})\``],
    ['a code fence', (url: string) => `\`\`\`\n![a](${url})\n\`\`\``],
  ])('promotes a file in %s', async (_name, text) => {
    const { editor, upload, storedKeys } = await open({}, { publicOrigin: 'https://example.com' })
    const { url } = await upload('a.png', png())
    const finalized = await editor.finalize(text(url), { owner })
    expect(finalized.text).toBe(text(permanentOf(url)))
    expect(finalized.missing).toEqual([])
    expect(await storedKeys()).toEqual([keyOfUrl(permanentOf(url))])
  })

  it.each([
    ['another host (F8)', (url: string) => `![a](https://cdn.example${url})`],
    ['a protocol-relative URL of another host (F8)', (url: string) => `![a](//evil.example${url})`],
    ['a deeper path (F8)', (url: string) => `![a](/x${url})`],
    ['a query', (url: string) => `[a](https://example.org/?u=${url})`],
    ['dot segments (F9)', (url: string) => `![a](${url.replace('tmp/', 'tmp/x/../')})`],
    [
      'a sibling folder (F9)',
      (url: string) => `![a](${url.replace('tmp/', 'tmp/../tmp-private/')})`,
    ],
    ['the folder itself (F24)', (url: string) => `[a](${url.slice(0, url.lastIndexOf('/') + 1)})`],
    ['a bad IPv6 address (F23)', () => '[x](http://[::1/a) ![y](http://[::1]:99999/m)'],
    ['a lone surrogate', () => '![a](/media/md-editor/tmp/\ud800.png)'],
    ['broken percent-encoding', () => '![a](/media/md-editor/tmp/%E0%A4%A)'],
  ])('does not change %s', async (_name, text) => {
    const { editor, upload, storedKeys } = await open()
    const { url } = await upload('a.png', png())
    const finalized = await editor.finalize(text(url), { owner })
    expect(finalized.text).toBe(text(url))
    expect(finalized.replacements).toEqual({})
    expect(await storedKeys()).toEqual([keyOfUrl(url)])
  })

  it('replaces whole URLs, in code too, and keeps what is around them (F20)', async () => {
    const { editor, upload } = await open()
    const { url } = await upload('a.png', png())
    const { text } = await editor.finalize(`![a](${url}) \`${url}\` [b](${url}x)`, { owner })
    expect(text).toBe(`![a](${permanentOf(url)}) \`${permanentOf(url)}\` [b](${permanentOf(url)})`)
  })

  it('keeps query and fragment, and the form of the URL', async () => {
    const { editor, upload } = await open({}, { publicOrigin: 'https://example.com' })
    const { url } = await upload('a.png', png())
    const { replacements } = await editor.finalize(
      `![a](${url}#t=10) ![b](${url}?v=2) ![c](https://example.com${url}) ![d](${url.replace('a.png', '%61.png')})`,
      { owner },
    )
    expect(replacements).toEqual({
      [`${url}#t=10`]: `${permanentOf(url)}#t=10`,
      [`${url}?v=2`]: `${permanentOf(url)}?v=2`,
      [`https://example.com${url}`]: `https://example.com${permanentOf(url)}`,
      [url.replace('a.png', '%61.png')]: permanentOf(url),
    })
  })

  it('is idempotent (F19)', async () => {
    const { editor, upload } = await open()
    const { url } = await upload('a.png', png())
    const first = await editor.finalize(`![a](${url})`, { owner })
    expect(await editor.finalize(`![a](${url})`, { owner })).toEqual(first)
    expect(await editor.finalize(first.text, { owner })).toEqual({
      text: first.text,
      replacements: {},
      missing: [],
    })
  })

  it('returns the same result for concurrent calls (F19)', async () => {
    const { editor, upload, storedKeys, logged } = await open()
    const { url } = await upload('a.png', png())
    const all = await Promise.all(
      Array.from({ length: 8 }, () => editor.finalize(`![a](${url})`, { owner })),
    )
    expect(new Set(all.map(({ text }) => text))).toEqual(new Set([`![a](${permanentOf(url)})`]))
    expect(await storedKeys()).toEqual([keyOfUrl(permanentOf(url))])
    expect(logged).toEqual([])
  })

  it('reports files of other users and unknown files as missing alike (F10)', async () => {
    const { editor, upload, storedKeys } = await open()
    const { url } = await upload('a.png', png())
    const unknown = url.replace(idOf(url), `m${'0'.repeat(26)}`)
    const text = `![a](${url}) ![b](${unknown})`
    expect(await editor.finalize(text, { owner: { id: 'eve' } })).toEqual({
      text,
      replacements: {},
      missing: [url, unknown],
    })
    expect(await editor.finalize(text, { owner: { id: 'ad' } })).toMatchObject({ replacements: {} })
    expect(await storedKeys()).toEqual([keyOfUrl(url)])
  })

  it('lets other users finalize if the application allows it', async () => {
    const calls: unknown[] = []
    const { editor, upload } = await open(
      {},
      {
        canManage: (user, medium) => {
          calls.push([user.id, medium.owner])
          return user.id === 'editor'
        },
      },
    )
    const { url } = await upload('a.png', png())
    const text = `![a](${url})`
    expect((await editor.finalize(text, { owner: { id: 'eve' } })).missing).toEqual([url])
    expect((await editor.finalize(text, { owner: { session: 'editor' } })).missing).toEqual([url])
    expect((await editor.finalize(text, { owner: { id: 'editor' } })).missing).toEqual([])
    expect(calls).toEqual([
      ['eve', 'user:ada'],
      ['editor', 'user:ada'],
    ])
  })

  it('does not treat a deleted or expired file as permanent', async () => {
    const { editor, upload, clock } = await open()
    const { url } = await upload('a.png', png())
    clock.advance(2 * 86_400_000)
    await editor.sweep()
    expect(await editor.finalize(`![a](${url})`, { owner })).toMatchObject({
      replacements: {},
      missing: [url],
    })
  })

  it('puts files into the month of finalizing, in UTC (F32)', async () => {
    const { editor, upload, clock } = await open({ uploadPath: 'up/%Y/%m/%d/' })
    clock.set(Date.UTC(2026, 11, 31, 23, 59, 59))
    const { url } = await upload('a.png', png())
    const { text } = await editor.finalize(url && `![a](${url})`, { owner })
    expect(text).toContain('/media/up/2026/12/31/m')
    clock.advance(1000)
    const { url: next } = await upload('a.png', png())
    expect((await editor.finalize(`![a](${next})`, { owner })).text).toContain(
      '/media/up/2027/01/01/m',
    )
  })

  it('works with a handler without finalize (F27)', async () => {
    class Minimal extends BaseUploadHandler {
      override save(_file: UploadedFile, { keep }: { keep(): Promise<string> }): Promise<string> {
        return keep()
      }
    }
    const { editor, upload } = await open({}, { uploadHandler: new Minimal() })
    const { url } = await upload('a.png', png())
    expect((await editor.finalize(`![a](${url})`, { owner })).text).toBe(
      `![a](${permanentOf(url)})`,
    )
  })

  it('ignores the URLs of a handler that stores files elsewhere (F27)', async () => {
    class Elsewhere extends BaseUploadHandler {
      override async save(): Promise<string> {
        return 'https://files.example/1.png'
      }
    }
    const { editor, upload } = await open({}, { uploadHandler: new Elsewhere() })
    const { url } = await upload('a.png', png())
    const text = `![a](${url})`
    expect(await editor.finalize(text, { owner })).toEqual({ text, replacements: {}, missing: [] })
  })

  it('calls the finalize method of a handler', async () => {
    class Moving extends DefaultUploadHandler {
      override async finalize(_tempUrl: string, context: FinalizeContext): Promise<string | null> {
        const url = await context.promote()
        return url && `https://cdn.example${url}`
      }
    }
    const { editor, storage, upload } = await open({}, { uploadHandler: new Moving() })
    const { url } = await upload('a.png', png())
    expect((await editor.finalize(`![a](${url})`, { owner })).text).toBe(
      `![a](https://cdn.example${permanentOf(url)})`,
    )
    const lost = (await upload('b.png', png())).url
    await storage.remove(keyOfUrl(lost))
    expect(await editor.finalize(`![b](${lost})`, { owner })).toMatchObject({
      replacements: {},
      missing: [lost],
    })
  })

  it.each([[7], [null], [undefined], [{}], [['a']]])('refuses %j as a text (F25)', async (text) => {
    const { editor } = await open()
    await expect(editor.finalize(text as never, { owner })).rejects.toMatchObject({
      code: 'invalid_request',
      status: 400,
    })
  })

  it.each([
    [undefined],
    [{}],
    [{ owner: '' }],
    [{ owner: 7 }],
    [{ owner: 'ada' }],
    [{ owner: 'user:ada' }],
    [{ owner: { id: '' } }],
    [{ owner: { session: null } }],
  ])('refuses %j as an owner', async (options) => {
    const { editor } = await open()
    await expect(editor.finalize('', options as never)).rejects.toMatchObject({
      code: 'invalid_user',
      status: 500,
    })
  })

  it('has its own limit for texts (F26)', async () => {
    const { editor } = await open()
    const half = 2 * 1024 * 1024
    await expect(editor.finalize('ä'.repeat(half + 1), { owner })).rejects.toMatchObject({
      code: 'text_too_large',
      status: 413,
    })
    expect((await editor.finalize('ä'.repeat(half), { owner })).text).toHaveLength(half)
  })

  it('accepts a text full of invented URLs', async () => {
    const { editor } = await open()
    const text = Array.from(
      { length: 2000 },
      (_, n) => `![a](/media/md-editor/tmp/m${String(n).padStart(26, '0')}-a.png)`,
    ).join('\n')
    expect((await editor.finalize(text, { owner })).missing).toHaveLength(2000)
  })

  describe('when the storage fails', () => {
    it('throws, keeps the file, and succeeds on the next call', async () => {
      const storage = memoryStorage()
      const { copy } = storage
      let failures = 1
      storage.copy = async (...args) => {
        if (failures-- > 0) throw new Error('out of order')
        return copy.apply(storage, args)
      }
      const { editor, upload, storedKeys } = await open({}, { storage })
      const { url } = await upload('a.png', png())
      await expect(editor.finalize(`![a](${url})`, { owner })).rejects.toThrow('out of order')
      expect((await editor.media.get(idOf(url)))?.state).toBe('promoting')
      expect(await storedKeys()).toEqual([keyOfUrl(url)])
      expect((await editor.finalize(`![a](${url})`, { owner })).text).toBe(
        `![a](${permanentOf(url)})`,
      )
      expect(await storedKeys()).toEqual([keyOfUrl(permanentOf(url))])
    })

    it('resumes a promotion that a killed process left incomplete', async () => {
      const storage = memoryStorage()
      const { copy } = storage
      storage.copy = async (...args) => {
        await copy.apply(storage, args)
        throw new Error('killed')
      }
      const { editor, upload, storedKeys } = await open({}, { storage })
      const { url } = await upload('a.png', png())
      await expect(editor.finalize(`![a](${url})`, { owner })).rejects.toThrow('killed')
      storage.copy = copy
      expect((await editor.finalize(`![a](${url})`, { owner })).text).toBe(
        `![a](${permanentOf(url)})`,
      )
      expect(await storedKeys()).toEqual([keyOfUrl(permanentOf(url))])
    })

    it('reports a file as missing if its bytes are lost, and logs an error', async () => {
      const storage = memoryStorage()
      const { editor, upload, logged } = await open({}, { storage })
      const { url } = await upload('a.png', png())
      await storage.remove(keyOfUrl(url))
      expect((await editor.finalize(`![a](${url})`, { owner })).missing).toEqual([url])
      expect(logged.join()).toContain('are missing')
    })

    it('succeeds if the temporary copy cannot be removed, and leaves it to the sweep', async () => {
      const storage = memoryStorage()
      const { remove } = storage
      storage.remove = async () => {
        throw new Error('out of order')
      }
      const { editor, upload, storedKeys, logged } = await open({}, { storage, clock: Date.now })
      const { url } = await upload('a.png', png())
      expect((await editor.finalize(`![a](${url})`, { owner })).missing).toEqual([])
      expect(logged.join()).toContain('no longer needed')
      expect(await storedKeys()).toHaveLength(2)
      storage.remove = remove
    })
  })
})
