import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BaseRenderer } from '@quillgate/markdown'
import {
  DefaultUploadHandler,
  localFiles,
  MarkdownEditorWidget,
  ValidationError,
} from '@quillgate/markdown-editor'
import { openDatabase } from '@quillgate/server/database'
import { describeDatabases } from '@quillgate/server/testing/suites'
import { memoryStorage } from '@quillgate/storage/testing'
import { describe, expect, it, vi } from 'vitest'
import { Verifier } from '../../markdown/src/verification/verifier.ts'
import { UnknownSettingError } from '../../server/src/core/schema.ts'
import { createTestCsrf } from '../../server/test/support/test-csrf.ts'
import { mediaMigrations } from '../src/media/ledger/schema.ts'
import { createEditor, type TestEditorOptions } from './create-editor.ts'
import { idOf, keyOfUrl, ORIGIN, openEditor, png } from './editor-fixture.ts'
import { problemOf } from './http/open-routes.ts'
import { useEditors } from './use-editors.ts'

const { cleanups, open } = useEditors()

const secret = 'a secret of at least thirty-two bytes'
const minimal = (): TestEditorOptions => ({
  secret,
  database: 'sqlite::memory:',
  storage: memoryStorage(),
  authenticate: () => null,
})

describe('createMarkdownEditor', () => {
  describeDatabases((engine) => {
    it('accepts a clock with fractions of milliseconds', async () => {
      const { url: database, close } = await engine.open()
      cleanups.push(close)
      const { upload, finalize } = await open({}, { database, clock: () => 1_773_576_000_000.5 })
      const { url } = await upload('a.png', png())
      expect((await finalize(`![a](${url})`)).missing).toEqual([])
    })

    it('handles a file from upload to deletion (the main job)', async () => {
      const { url: database, close } = await engine.open()
      cleanups.push(close)
      const { editor, upload, finalize, get, storedKeys } = await open({}, { database })
      const { url, name, type } = await upload('My photo.png', png())
      expect({ name, type }).toEqual({ name: 'My photo.png', type: 'image/png' })
      expect(url).toMatch(/^\/media\/md-editor\/tmp\/m[0-9a-z]{26}-1x1-My_photo\.png$/)
      expect((await get(url)).status).toBe(200)

      const { replacements, missing } = await finalize(`![photo](${url})`)
      const permanent = replacements[url] ?? ''
      expect(permanent).toMatch(
        /^\/media\/md-editor\/uploads\/2026\/03\/m[0-9a-z]{26}-1x1-My_photo\.png$/,
      )
      expect(missing).toEqual([])
      expect(await storedKeys()).toEqual([keyOfUrl(permanent)])
      expect((await get(permanent)).status).toBe(200)
      const redirect = await get(url)
      expect([redirect.status, redirect.headers.get('location')]).toEqual([302, permanent])

      await editor.references.set({ type: 'post', id: 1 }, { body: `![photo](${permanent})` })
      await editor.references.set({ type: 'post', id: 1 }, { body: 'no picture' })
      expect((await get(permanent)).status).toBe(404)
      expect(await storedKeys()).toEqual([])
    })
  })

  it('connects only when it is first used, and returns immediately', () => {
    const editor = createEditor({
      ...minimal(),
      database: 'postgres://nobody@127.0.0.1:1/nothing',
    })
    expect(editor.url('upload')).toBe('/md-editor/upload')
  })

  it('answers a request before ready() is called', async () => {
    const { request } = await open({}, { ready: false })
    expect((await request('GET', '/media/nothing')).status).toBe(404)
  })

  it('can start after a failed ready() call', async () => {
    const storage = memoryStorage()
    const { write } = storage
    storage.write = async () => {
      throw new Error('out of order')
    }
    const { editor } = await open({}, { storage, ready: false })
    await expect(editor.ready()).rejects.toThrow('out of order')
    storage.write = write
    await editor.ready()
    expect(await editor.sweep()).toMatchObject({ stopped: null })
  })

  it('supports several processes that start at once', async () => {
    const storage = memoryStorage()
    const database = openDatabase('sqlite::memory:')
    cleanups.push(database.close)
    const editors = [1, 2, 3].map(() =>
      createEditor({ ...minimal(), storage, database: database.kysely }),
    )
    await Promise.all(editors.map((editor) => editor.ready()))
    for (const editor of editors) expect(await editor.sweep()).toMatchObject({ stopped: null })
  })

  it('leaves migrations to the application', async () => {
    const database = openDatabase('sqlite::memory:')
    cleanups.push(database.close)
    const options = { ...minimal(), database: database.kysely, migrate: false }
    await expect(createEditor(options).ready()).rejects.toThrow()
    const executor = database.executor(database.kysely)
    for (const { statements } of mediaMigrations.migrations) {
      for (const statement of statements('sqlite', 'quillgate_')) await executor.execute(statement)
    }
    const editor = createEditor(options)
    expect(await editor.media.get('x')).toBeNull()
    expect(
      await executor.query('SELECT name FROM quillgate_media_meta ORDER BY name'),
    ).toHaveLength(2)
  })

  it('closes the database that it opened, but not the database of the application', async () => {
    const database = openDatabase('sqlite::memory:')
    cleanups.push(database.close)
    const { editor } = await openEditor({}, { database: database.kysely })
    await editor.close()
    expect(await database.executor(database.kysely).query('SELECT 1 AS one')).toEqual([{ one: 1 }])
  })

  describe('options', () => {
    it.each<[string, Partial<Record<string, unknown>>, string]>([
      ['no secret', { secret: undefined }, 'secret is required'],
      ['a short secret', { secret: 'short' }, 'secret'],
      ['no storage', { storage: undefined }, 'storage is required'],
      ['an object that is not a storage', { storage: {} }, 'storage must have write()'],
      ['a number as the database', { database: 5 }, 'database must be a URL'],
      ['a number as the logger', { logger: 5 }, 'logger must have'],
      ['null as the settings', { settings: null }, 'settings must be an object'],
      ['an unknown database', { database: 'oracle:x' }, 'database must begin with'],
      ['a string as a function', { authenticate: 'me' }, 'authenticate must be a function'],
      ['a misspelled option', { autenticate: () => null }, 'Perhaps authenticate is meant'],
      ['a hook that does not exist', { onUploaded: () => {} }, 'onUploaded is not an option'],
      ['a string as a hook', { onDeleted: 'log' }, 'onDeleted must be a function'],
      ['an option that was removed', { records: { all: () => [] } }, 'records is not an option'],
      ['an object that is not a renderer', { renderer: {} }, 'renderer must have render()'],
      ['a bad origin', { publicOrigin: 'example.com' }, 'publicOrigin'],
      ['a bad proxy', { trustedProxies: ['10.0.0.0/99'] }, 'trustedProxies'],
      ['a bad setting', { settings: { maxUploadSize: null } }, 'maxUploadSize'],
      [
        'an unknown setting',
        { settings: { MAX_UPLOAD_SIZE: 1 } },
        'Perhaps maxUploadSize is meant',
      ],
      [
        'an upload path that begins with a date (F17)',
        { settings: { uploadPath: '%Y/%m/' } },
        'uploadPath',
      ],
      ['a bad base path', { basePath: 'editor' }, 'basePath'],
    ])('refuses %s', (_name, wrong, message) => {
      const options = { ...minimal(), ...wrong } as TestEditorOptions
      expect(() => createEditor(options)).toThrow(message)
      expect(() => createEditor(options)).toThrow(
        expect.objectContaining({ code: 'configuration_error' }),
      )
    })
  })

  it('moves its endpoints with basePath', async () => {
    const { editor, request } = await open({}, { basePath: '/blog/editor' })
    expect(editor.url('upload')).toBe('/blog/editor/upload')
    expect(editor.url('web_markdown_widget:finalize')).toBe('/blog/editor/finalize')
    expect(editor.widget().uploadUrl).toBe('/blog/editor/upload')
    expect(editor.widget().finalizeUrl).toBe('/blog/editor/finalize')
    expect((await request('GET', '/blog/editor/upload')).status).toBe(405)
    expect(editor.handles('http://x/blog/editor/upload')).toBe(true)
    expect(editor.handles('http://x/media/a.png')).toBe(true)
    expect(editor.handles('http://x/md-editor/upload')).toBe(false)
    expect(() => editor.url('sweep' as never)).toThrow('There is no endpoint "sweep"')
  })

  it('returns settings, and throws a KeyError for unknown names', async () => {
    const { editor } = await open({ maxUploadSize: 7 })
    expect(editor.getSetting('maxUploadSize')).toBe(7)
    expect(editor.getSetting('placeholder')).toBe('Add your comment here...')
    const wrong = () => editor.getSetting('MAX_UPLOAD_SIZE' as never)
    expect(wrong).toThrow(UnknownSettingError)
    expect(wrong).toThrow(expect.objectContaining({ code: 'unknown_setting', name: 'KeyError' }))
  })

  it('creates widgets with its settings, even if the client is not built', async () => {
    const { editor } = await open({ placeholder: 'Write!', defaultHeight: '20rem' })
    const widget = editor.widget({ attrs: { required: true } })
    expect(widget).toBeInstanceOf(MarkdownEditorWidget)
    const html = widget.render('body', '<b>')
    for (const part of [
      'placeholder="Write!"',
      'height="20rem"',
      'temp-url="/media/md-editor/tmp/"',
      '&#60;b&#62;',
      ' required',
    ]) {
      expect(html).toContain(part)
    }
  })

  it('renders safely by default, or with the renderer of the application', async () => {
    const { editor } = await open()
    expect(editor.renderer.render('**a** <script>alert(1)</script>')).not.toContain('<script')
    class Shouting extends BaseRenderer {
      override render(text: string): string {
        return text.toUpperCase()
      }
    }
    expect((await open({}, { renderer: new Shouting() })).editor.renderer.render('a')).toBe('A')
  })

  it.each(['upload', 'finalize'] as const)(
    'answers a CSRF failure of %s with a problem document (F28)',
    async (endpoint) => {
      const { editor } = await open({}, { authenticate: () => ({ id: 'ada' }) })
      const init = { method: 'POST', body: '{}' }
      const response = await editor.fetch(new Request(ORIGIN + editor.url(endpoint), init))
      expect(await problemOf(response)).toMatchObject({ status: 403, code: 'csrf_failed' })
    },
  )

  it('lets the upload handler reject files, and does not store them', async () => {
    const validated: string[] = []
    class NoLong extends DefaultUploadHandler {
      override validate({ name }: { name: string }): void {
        validated.push(name)
        if (name.length > 8) throw new ValidationError('Names have at most 8 characters.')
      }
    }
    const opened = await open({}, { uploadHandler: new NoLong() })
    await opened.upload('a.png', png())
    await expect(opened.upload('much-too-long.png', png())).rejects.toThrow('422')
    expect(validated).toEqual(['a.png', 'much-too-long.png'])
    expect(await opened.storedKeys()).toHaveLength(1)
  })

  it('serves files only to users whom the application authorizes', async () => {
    const { upload, request } = await open(
      {},
      { authorize: (user, medium) => `user:${user?.id}` === medium.owner },
    )
    const { url } = await upload('a.png', png())
    expect((await request('GET', url, { user: 'ada' })).status).toBe(200)
    expect((await request('GET', url, { user: 'eve' })).status).toBe(404)
    expect((await request('GET', url, { user: null })).status).toBe(404)
  })

  describe('anonymous sessions', () => {
    const csrf = createTestCsrf({ secret })
    const uploadAnonymously = async () => {
      const { editor } = await open({ requireAuth: false })
      const { token, headers } = csrf.issue({ request: new Request(`${ORIGIN}/`) })
      const cookie = (headers.get('set-cookie') ?? '').split(';')[0] ?? ''
      const form = new FormData()
      form.append('csrf_token', token)
      form.append('file', new File([png()], 'a.png', { type: 'image/png' }))
      const all = { cookie, origin: ORIGIN, 'x-csrf-token': token }
      const request = new Request(ORIGIN + editor.url('upload'), {
        method: 'POST',
        headers: all,
        body: form,
      })
      const uploaded = await editor.fetch(request)
      expect(uploaded.status).toBe(201)
      const { url } = (await uploaded.json()) as { url: string }
      return {
        editor,
        url,
        text: `![a](${url})`,
        context: { request: new Request(`${ORIGIN}/`, { headers: { cookie } }) },
      }
    }

    it('own their uploads until the user who signs in claims them', async () => {
      const { editor, url, text, context } = await uploadAnonymously()
      expect((await editor.finalize(text, { owner: { id: 'ada' } })).missing).toEqual([url])
      expect(await editor.claim(new Request(ORIGIN), { id: 'ada' })).toBe(0)
      expect(await editor.claim(context.request, { id: 'ada' })).toBe(1)
      expect((await editor.media.get(idOf(url)))?.owner).toBe('user:ada')
      expect((await editor.finalize(text, { owner: { id: 'ada' } })).missing).toEqual([])
    })

    it('can finalize their own files', async () => {
      const { editor, url, text, context } = await uploadAnonymously()
      expect((await editor.finalize(text, { owner: { session: 'another' } })).missing).toEqual([
        url,
      ])
      const owner = await editor.ownerOf(context.request)
      if (!owner) throw new Error('The visitor has no session.')
      const finalized = await editor.finalize(text, { owner })
      expect(finalized.missing).toEqual([])
      const post = { type: 'post', id: 1 }
      await editor.references.set(post, finalized.text, { actor: owner })
      await editor.references.set(post, '', { actor: owner })
      expect((await editor.media.get(idOf(url)))?.state).toBe('deleted')
    })

    it('own nothing without a cookie, with a bearer token, or if users must sign in', async () => {
      const { editor, context } = await uploadAnonymously()
      expect(await editor.ownerOf(new Request(ORIGIN))).toBe(null)
      const headers = new Headers(context.request.headers)
      headers.set('authorization', 'DPoP unknown')
      expect(await editor.ownerOf(new Request(ORIGIN, { headers }))).toBe(null)
      const { editor: strict } = await open()
      expect(await strict.ownerOf(context.request)).toBe(null)
    })
  })

  it('logs what the second layer of its sanitizer removes', () => {
    const error = vi.fn()
    const { renderer } = createEditor({ ...minimal(), logger: { warn: vi.fn(), error } })
    const finding = { position: 3, reason: 'a fault', open: ['p'] }
    const spy = vi.spyOn(Verifier.prototype, 'verify').mockReturnValueOnce(finding)
    expect(renderer.render('<b>a</b>')).toContain('&lt;b&gt;')
    spy.mockRestore()
    const details = { reason: 'a fault', excerpt: '<b>a</b></p>\n', line: 0 }
    expect(error.mock.calls).toEqual([[expect.stringContaining('policy'), details]])
  })

  it('works with local files', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'quillgate-editor-'))
    cleanups.push(() => rm(directory, { recursive: true, force: true }))
    const { editor, addPermanent, get } = await open({}, { storage: localFiles(directory) })
    const { url } = await addPermanent()
    expect((await get(url)).status).toBe(200)
    await editor.deleteOrphanedMedia(`![a](${url})`, '')
    const left = await readdir(directory, { recursive: true, withFileTypes: true })
    expect(left.filter((entry) => entry.isFile()).map(({ name }) => name)).toEqual([
      'quillgate-installation.txt',
    ])
  })
})
