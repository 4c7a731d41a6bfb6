import type { SettingsInput } from '@quillgate/markdown-editor'
import { BaseUploadHandler, extractMediaUrls, type UploadedFile } from '@quillgate/markdown-editor'
import { sqliteEngine } from '@quillgate/server/testing'
import { memoryStorage } from '@quillgate/storage/testing'
import { describe, expect, it } from 'vitest'
import { createEditor } from '../create-editor.ts'
import { idOf, keyOfUrl, png, type TestEditor } from '../editor-fixture.ts'
import { openTypeorm, Post, type TypeormFixture } from '../orm/typeorm/fixture.ts'
import { useEditors } from '../use-editors.ts'

// Numbers such as F7 identify flaws of the library that Quillgate is modeled on. These tests cover
// the flaws about media. The tests of F21 and F22 need a browser and are elsewhere.

const ada = { owner: { id: 'ada' } }
const DAY = 86_400_000

const { cleanups, open } = useEditors()

async function openRecords(): Promise<TypeormFixture> {
  const opened = await openTypeorm(sqliteEngine())
  cleanups.push(opened.close)
  return opened
}

const image = ({ url }: { readonly url: string }): string => `![a](${url})`
const keyOf = ({ url }: { readonly url: string }): string => keyOfUrl(url)
const permanentOf = (temporary: string): string => temporary.replace('/tmp/', '/uploads/2026/03/')

async function send(
  world: TestEditor,
  content: string | Uint8Array<ArrayBuffer>,
  name: string,
  type: string,
): Promise<Response> {
  const body = new FormData()
  body.append('file', new File([content], name, { type }))
  return world.request('POST', world.editor.url('upload'), { body })
}

async function expectProblem(response: Response, status: number, code: string): Promise<void> {
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  expect(await response.json()).toMatchObject({ status, code })
}

describe('flaws of the original library: uploads', () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'

  it.each([
    ['HTML as an image', '<script>alert(1)</script>', 'a.png', 'image/png'],
    ['SVG as an image', svg, 'a.png', 'image/png'],
    ['SVG as itself', svg, 'a.svg', 'image/svg+xml'],
    ['HTML as text', '<html><script>alert(1)</script>', 'a.txt', 'text/plain'],
    ['a script as JSON', 'alert(1)', 'a.json', 'application/json'],
  ])(
    'F7: requires the bytes to match the type, not only the name: %s',
    async (_name, content, name, type) => {
      const world = await open()
      await expectProblem(await send(world, content, name, type), 415, 'unsupported_media_type')
      expect(await world.storedKeys()).toEqual([])
    },
  )

  it('F7: uses the extension of the type, and serves the file so that no content executes', async () => {
    const world = await open()
    for (const name of ['evil.php', 'evil.png.html', '.htaccess', 'evil.svg']) {
      const { url } = (await (await send(world, png(), name, 'image/png')).json()) as {
        url: string
      }
      expect(url).toMatch(/-[a-z_]+\.png$/)
      const served = await world.get(url)
      expect(served.headers.get('x-content-type-options')).toBe('nosniff')
      expect(served.headers.get('content-type')).toBe('image/png')
      expect(served.headers.get('content-security-policy')).toContain('sandbox')
    }
    const text = (await (await send(world, 'a', 'a.html', 'text/plain')).json()) as { url: string }
    expect((await world.get(text.url)).headers.get('content-disposition')).toMatch(
      /^attachment;.*\.txt/,
    )
  })

  it.each([
    ['zero bytes', 400, 'empty_file', '', 'a.txt'],
    ['an extension of 300 characters', 201, '', 'a', `a.${'b'.repeat(300)}`],
    ['a name of 5,000 characters', 201, '', 'a', `${'n'.repeat(5000)}.txt`],
  ])('F29: %s', async (_name, status, code, content, name) => {
    const world = await open()
    const response = await send(world, content, name, 'text/plain')
    if (status === 201) expect(response.status).toBe(201)
    else await expectProblem(response, status, code)
  })

  it('F29: does not silently replace the first file by a second one', async () => {
    const world = await open()
    const body = new FormData()
    for (const name of ['a.txt', 'b.txt'])
      body.append('file', new File([name], name, { type: 'text/plain' }))
    await expectProblem(
      await world.request('POST', world.editor.url('upload'), { body }),
      400,
      'multiple_files',
    )
    expect(await world.storedKeys()).toEqual([])
  })

  it.each(['upload', 'finalize'] as const)(
    'F28: answers a CSRF failure of %s with JSON',
    async (endpoint) => {
      const { editor } = await open({}, { authenticate: () => ({ id: 'ada' }) })
      const request = new Request(`https://example.com${editor.url(endpoint)}`, {
        method: 'POST',
        body: '{}',
      })
      await expectProblem(await editor.fetch(request), 403, 'csrf_failed')
    },
  )
})

describe('flaws of the original library: file ownership', () => {
  const others = [
    (url: string) => `![a](https://other.example${url})`,
    (url: string) => `![a](//other.example${url})`,
    (url: string) => `![a](https://example.com.evil.example${url})`,
    (url: string) => `![a](https://example.com@evil.example${url})`,
    (url: string) => `![a](/mirror${url})`,
    (url: string) => `[a](https://evil.example/?u=${url})`,
    (url: string) => `[a](http://example.com${url})`,
  ]

  it.each(others)(
    'F8: neither moves nor deletes our file for a URL of another site: %s',
    async (text) => {
      const { editor, upload, addPermanent, storedKeys } = await open(
        {},
        { publicOrigin: 'https://example.com' },
      )
      const [temporary, permanent] = [await upload('a.png', png()), await addPermanent()]
      expect(await editor.finalize(text(temporary.url), ada)).toMatchObject({ replacements: {} })
      expect(await editor.deleteOrphanedMedia(text(permanent.url), '')).toEqual([])
      expect(await storedKeys()).toEqual([keyOf(temporary), keyOf(permanent)])
    },
  )

  it.each([
    '../tmp-private/',
    '../../uploads-private/',
    '%2e%2e/tmp-private/',
    'x/../',
    './',
    '..%2f',
    '..\\\\',
  ])('F9: ignores dot segments: %s', async (segments) => {
    const { editor, upload, addPermanent, storedKeys } = await open()
    const [temporary, permanent] = [await upload('a.png', png()), await addPermanent()]
    const away = ({ url }: { url: string }) => `![a](${url.replace(/(?=m[0-9a-z]{26})/, segments)})`
    expect(await editor.finalize(away(temporary), ada)).toMatchObject({ replacements: {} })
    expect(await editor.deleteOrphanedMedia(away(permanent), '')).toEqual([])
    expect(await storedKeys()).toEqual([keyOf(temporary), keyOf(permanent)])
  })

  it('F9: does not confuse folders whose names start with the same text', async () => {
    const { editor, storage, clock } = await open()
    await storage.write('md-editor/tmp-private/a.png', ReadableStream.from([png()]), {
      type: 'image/png',
    })
    await editor.finalize('![a](/media/md-editor/tmp-private/a.png)', ada)
    clock.advance(30 * DAY)
    await editor.sweep()
    expect(await storage.stat('md-editor/tmp-private/a.png')).not.toBeNull()
  })

  it('F10: lets only the owner finalize a temporary file, and makes its name unguessable', async () => {
    const { editor, upload, storedKeys } = await open()
    const [first, second] = [await upload('a.png', png()), await upload('a.png', png())]
    expect(idOf(first.url)).toMatch(/^m[0-9a-z]{26}$/)
    expect(idOf(first.url)).not.toBe(idOf(second.url))
    const finalized = await editor.finalize(image(first), { owner: { id: 'eve' } })
    expect(finalized).toEqual({ text: image(first), replacements: {}, missing: [first.url] })
    expect(await storedKeys()).toEqual([keyOf(first), keyOf(second)].sort())
  })
})

describe('flaws of the original library: references in a text', () => {
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
    'F12: keeps the file after an edit that turns an image into %s',
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
    'F13: keeps a file in a sweep if a text references it by %s',
    async (_name, text) => {
      const { editor, addPermanent, clock, storedKeys } = await open()
      const added = await addPermanent()
      await editor.references.rebuild([{ type: 'post', id: 1, texts: text(added.url) }])
      clock.advance(100 * DAY)
      await editor.sweep()
      expect(await storedKeys()).toEqual([keyOf(added)])
    },
  )

  it.each(forms)('F18: finalize finds %s', async (_name, text) => {
    const { editor, upload, storedKeys } = await open({}, { publicOrigin: 'https://example.com' })
    const { url } = await upload('a.png', png())
    const finalized = await editor.finalize(text(url), ada)
    expect(finalized.text).toContain(permanentOf(url))
    expect(await storedKeys()).toEqual([keyOf({ url: permanentOf(url) })])
  })

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
  ])('F11: does not block the server for %s', async (_name, hostile) => {
    const { editor, upload } = await open()
    const { url } = await upload('a.png', png())
    const { replacements } = await editor.finalize(`${image({ url })}\n\n${hostile}`, ada)
    expect(Object.keys(replacements)).toEqual([url])
    expect(extractMediaUrls(`${image({ url })}\n\n${hostile}`)).toContain(url)
    expect(await editor.deleteOrphanedMedia(hostile, hostile)).toEqual([])
  })

  it('F20: replaces a URL, in code too, but not as a part of another URL', async () => {
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

  it('F20: keeps the file after a save without finalize, because the server can finalize too', async () => {
    const { editor, upload, clock } = await open({ tempUploadPath: 'incoming/' })
    const added = await upload('a.png', png())
    await editor.references.set({ type: 'post', id: 1 }, image(added))
    clock.advance(100 * DAY)
    await editor.sweep()
    expect((await editor.finalize(image(added), ada)).missing).toEqual([])
  })

  it.each([
    'http://[::1/a',
    'http://[',
    '//[/media/',
    'https://example.com:99999/media/a',
    '/media/md-editor/tmp/%E0%A4%A',
    'https://%/media/a',
    '\ud800',
  ])('F23: ignores a malformed URL: %j', async (bad) => {
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
    'F24: does not treat the URL of a folder as a file: …%s',
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

describe('flaws of the original library: finalize', () => {
  it('F19: returns the same result for repeated and concurrent requests, with one copy', async () => {
    const { editor, upload, storedKeys } = await open()
    const added = await upload('a.png', png())
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => editor.finalize(image(added), ada)),
    )
    answers.push(await editor.finalize(image(added), ada))
    for (const answer of answers)
      expect(answer.replacements).toEqual({ [added.url]: permanentOf(added.url) })
    expect(await storedKeys()).toEqual([keyOf({ url: permanentOf(added.url) })])
  })

  it.each([
    ['a number', '{"text":1}', 400, 'invalid_request'],
    ['true', '{"text":true}', 400, 'invalid_request'],
    ['a list', '{"text":["a"]}', 400, 'invalid_request'],
    ['an object', '{"text":{}}', 400, 'invalid_request'],
    ['null', '{"text":null}', 400, 'invalid_request'],
    ['no text', '{}', 400, 'invalid_request'],
    ['a list instead of an object', '[]', 400, 'invalid_request'],
    ['a text in __proto__', '{"__proto__":{"text":"a"}}', 400, 'invalid_request'],
    ['a huge integer', `{"text":${'9'.repeat(5000)}}`, 400, 'invalid_request'],
    [
      'deep nesting',
      `{"text":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
      400,
      'invalid_request',
    ],
    ['unclosed deep nesting', '['.repeat(100_000), 400, 'invalid_request'],
    ['unclosed shallow nesting', '[[', 400, 'malformed_json'],
    ['invalid UTF-8', Buffer.from('7b2274657874223a22ff227d', 'hex'), 400, 'malformed_json'],
    ['an empty body', '', 400, 'malformed_json'],
  ])(
    'F25: answers %s as a text with JSON instead of crashing',
    async (_name, body, status, code) => {
      const world = await open()
      const headers = { 'content-type': 'application/json' }
      await expectProblem(
        await world.request('POST', world.editor.url('finalize'), { body, headers }),
        status,
        code,
      )
      expect(world.logged).toEqual([])
    },
  )

  it('F25: answers 415 to a multipart body', async () => {
    const world = await open()
    const body = new FormData()
    body.append('text', 'a')
    await expectProblem(
      await world.request('POST', world.editor.url('finalize'), { body }),
      415,
      'unsupported_media_type',
    )
  })

  it('F26: finalizes a text of 4 MiB, and answers a longer one with 413 in JSON', async () => {
    const world = await open()
    const { url } = await world.upload('a.png', png())
    const end = `\n\n${image({ url })}`
    const longest = 'a'.repeat(4 * 1024 * 1024 - end.length) + end
    expect(Object.keys((await world.finalize(longest)).replacements)).toEqual([url])
    const init = {
      body: JSON.stringify({ text: `a${longest}` }),
      headers: { 'content-type': 'application/json' },
    }
    await expectProblem(
      await world.request('POST', world.editor.url('finalize'), init),
      413,
      'text_too_large',
    )
  })

  it('F27: accepts a handler with only `validate` and `save`', async () => {
    class Minimal extends BaseUploadHandler {
      override save(_file: UploadedFile, { keep }: { keep(): Promise<string> }): Promise<string> {
        return keep()
      }
    }
    const { upload, finalize } = await open({}, { uploadHandler: new Minimal() })
    const { url } = await upload('a.png', png())
    expect((await finalize(image({ url }))).replacements).toEqual({ [url]: permanentOf(url) })
  })

  it('F32: uses the folder of the current UTC date, and a separate handler for each editor', async () => {
    class Named extends BaseUploadHandler {
      readonly #name: string
      constructor(name: string) {
        super()
        this.#name = name
      }
      override async save(): Promise<string> {
        return `https://files.example/${this.#name}`
      }
    }
    const worlds = [
      await open({}, { uploadHandler: new Named('one') }),
      await open({}, { uploadHandler: new Named('two') }),
    ]
    const urls = await Promise.all(
      worlds.map(async ({ upload }) => (await upload('a.png', png())).url),
    )
    expect(urls).toEqual(['https://files.example/one', 'https://files.example/two'])

    const { upload, finalize, clock } = await open()
    clock.set(Date.UTC(2026, 11, 31, 23, 59, 59, 999))
    const { url } = await upload('a.png', png())
    expect(Object.values((await finalize(image({ url }))).replacements)[0]).toContain(
      '/uploads/2026/12/',
    )
    clock.advance(1)
    const { url: next } = await upload('a.png', png())
    expect(Object.values((await finalize(image({ url: next }))).replacements)[0]).toContain(
      '/uploads/2027/01/',
    )
  })
})

describe('flaws of the original library: saves', () => {
  it('F14: does not sweep a file that was just finalized before its record is saved', async () => {
    const { editor, upload, finalize, addPermanent, clock, storedKeys } = await open()
    await editor.references.set({ type: 'post', id: 1 }, image(await addPermanent()))
    const { url } = await upload('a.png', png())
    const permanent = Object.values((await finalize(image({ url }))).replacements)[0] ?? ''
    clock.advance(6 * DAY)
    await editor.sweep()
    expect(await storedKeys()).toContain(keyOf({ url: permanent }))
    await editor.references.set({ type: 'post', id: 2 }, image({ url: permanent }))
    clock.advance(100 * DAY)
    await editor.sweep()
    expect(await storedKeys()).toHaveLength(2)
  })

  it('F14: does not sweep an expired temporary file that a record references', async () => {
    const { editor, upload, clock, storedKeys } = await open()
    const added = await upload('a.png', png())
    await editor.references.set({ type: 'post', id: 1 }, image(added))
    clock.advance(100 * DAY)
    await editor.sweep()
    expect(await storedKeys()).toEqual([keyOf(added)])
  })

  it('F15: deletes nothing after a rollback or a failed save', async () => {
    const { posts, dataSource, addPermanent, storedKeys } = await openRecords()
    const added = await addPermanent()
    const { id } = await posts.save({ title: 'one', body: image(added) })
    await posts.save({ title: 'two', body: '' })
    const rolledBack = dataSource.transaction(async (manager) => {
      await manager.save(Post, { id, body: '' })
      throw new Error('rollback')
    })
    await expect(rolledBack).rejects.toThrow('rollback')
    await expect(posts.save({ id, title: 'two', body: '' })).rejects.toThrow()
    expect(await storedKeys()).toEqual([added.key])
    await posts.save({ id, body: '' })
    expect(await storedKeys()).toEqual([])
  })

  it('F15: keeps the text and its files when other fields are saved', async () => {
    const { posts, addPermanent, storedKeys } = await openRecords()
    const added = await addPermanent()
    const { id } = await posts.save({ title: 'one', body: image(added) })
    await posts.save({ id, title: 'two' })
    await posts.update({ id }, { title: 'three' })
    expect(await storedKeys()).toEqual([added.key])
  })

  it('F16: keeps a file that moves to another field or that another record references', async () => {
    const { posts, addPermanent, storedKeys } = await openRecords()
    const added = await addPermanent()
    const first = await posts.save({ title: 'one', body: image(added) })
    await posts.save({ id: first.id, body: '', summary: image(added) })
    expect(await storedKeys()).toEqual([added.key])
    const second = await posts.save({ title: 'two', body: image(added) })
    await posts.save({ id: first.id, summary: '' })
    expect(await storedKeys()).toEqual([added.key])
    await posts.remove(second)
    expect(await storedKeys()).toEqual([])
  })

  it('F23: saves a record with a malformed URL', async () => {
    const { posts, addPermanent, storedKeys } = await openRecords()
    const added = await addPermanent()
    const { id } = await posts.save({ title: 'one', body: `[x](http://[::1/a) ${image(added)}` })
    await posts.save({ id, body: '[x](http://[::1/a) %E0%A4%A' })
    expect(await storedKeys()).toEqual([])
  })

  it('F30: keeps the files of other fields when a partly loaded record is saved', async () => {
    const { posts, addPermanent, storedKeys } = await openRecords()
    const [body, summary] = [await addPermanent(), await addPermanent()]
    const { id } = await posts.save({ title: 'one', body: image(body), summary: image(summary) })
    const partial = await posts.findOneOrFail({ where: { id }, select: { id: true, title: true } })
    await posts.save(Object.assign(partial, { title: 'two' }))
    expect(await storedKeys()).toEqual([body.key, summary.key].sort())
    await posts.save({ id, summary: null })
    expect(await storedKeys()).toEqual([body.key])
  })
})

describe('flaws of the original library: settings', () => {
  const create = (settings: SettingsInput): unknown =>
    createEditor({
      secret: 'a secret of at least thirty-two bytes',
      database: 'sqlite::memory:',
      storage: memoryStorage(),
      authenticate: () => null,
      settings,
    })

  it.each(['%Y/%m/', '%Y', '/', '', '../', 'md-editor/../', '/absolute/', 'a//b/'])(
    'F17: rejects at start an uploadPath that would include every file: %j',
    (uploadPath) => {
      expect(() => create({ uploadPath })).toThrow(/uploadPath/)
    },
  )

  it('F17: never touches objects outside its folders in a sweep', async () => {
    const { editor, storage, clock } = await open()
    const foreign = ['avatars/a.png', 'md-editor.png', 'md-editor/b.png', '2026/03/c.png']
    for (const key of foreign)
      await storage.write(key, ReadableStream.from([png()]), { type: 'image/png' })
    clock.advance(365 * DAY)
    await editor.sweep()
    for (const key of foreign) expect(await storage.stat(key)).not.toBeNull()
  })

  it.each([
    ['maxUploadSize', null],
    ['maxUploadSize', -1],
    ['maxUploadSize', '10'],
    ['allowedUploadTypes', null],
    ['allowedUploadTypes', 'image/png'],
    ['allowedUploadTypes', ['image/svg+xml']],
    ['allowedUploadTypes', ['image/*']],
    ['tempMaxAge', 'a day'],
    ['requireAuth', 'false'],
    ['uploadSize', 10],
    ['MAX_UPLOAD_SIZE', 10],
  ])('F31: rejects %s = %j at start', (name, value) => {
    expect(() => create({ [name]: value } as SettingsInput)).toThrow(name)
  })

  it('F31: accepts a folder without its final slash', async () => {
    const { upload, finalize } = await open({ tempUploadPath: 'incoming', uploadPath: 'files/%Y' })
    const { url } = await upload('a.png', png())
    expect(url).toMatch(/^\/media\/incoming\/m[0-9a-z]{26}-1x1-a\.png$/)
    expect(Object.values((await finalize(image({ url }))).replacements)[0]).toMatch(
      /^\/media\/files\/2026\/m[0-9a-z]{26}-1x1-a\.png$/,
    )
  })
})
