import { DefaultUploadHandler } from '@quillgate/markdown-editor'
import { QuillgateError } from '@quillgate/server/core'
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest'
import type { UploadResponse } from '../../../markdown-editor-element/src/contract/wire.ts'
import {
  formWith,
  type OpenOptions,
  type OpenRoutes,
  openRoutes,
  openSession,
  problemOf,
  type Visitor,
} from './open-routes.ts'

const MAX_TEXT = 4 * 1024 * 1024

let editor: OpenRoutes
/** Called once for each text that is finalized. */
let find: MockInstance<OpenRoutes['ledger']['find']>

async function open(options?: OpenOptions): Promise<void> {
  editor = await openRoutes(options)
  find = vi.spyOn(editor.ledger, 'find')
}

beforeEach(() => open())
afterEach(() => editor.close())

const ada = { user: 'ada' }
const finalize = '/md-editor/finalize'

const json = (body: unknown, contentType = 'application/json'): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': contentType },
  body:
    typeof body === 'string' || body instanceof Uint8Array
      ? (body as string)
      : JSON.stringify(body),
})

async function expectRefusal(response: Response, status: number, code: string): Promise<void> {
  expect(await problemOf(response)).toMatchObject({ status, code })
  expect(find).not.toHaveBeenCalled()
  expect(editor.unexpected).toEqual([])
}

/** Uploads a file, and returns its temporary URL. */
async function upload(as: Visitor, headers: RequestInit['headers'] = {}): Promise<string> {
  const form = { method: 'POST', body: formWith('0123', 'a.txt', 'text/plain'), headers }
  const response = await editor.send('/md-editor/upload', form, as)
  return ((await response.json()) as UploadResponse).url
}

const permanent = (url: string): string => url.replace('/tmp/', '/uploads/2026/03/')

/** The temporary URL of an unknown file. */
const unknown = (n: number): string => `/media/md-editor/tmp/m${String(n).padStart(26, '0')}-a.txt`

describe('POST /md-editor/finalize', () => {
  it('answers 200 with the replacements and the missing URLs only', async () => {
    const [own, other] = [await upload(ada), await upload({ user: 'grace' })]
    const text = `![](${own}) ![](${other}) ![](${unknown(1)})`
    const response = await editor.send(finalize, json({ text }), ada)
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.json()).toEqual({
      replacements: { [own]: permanent(own) },
      missing: [other, unknown(1)],
    })
  })

  it('accepts texts of every kind unchanged', async () => {
    const url = unknown(1)
    const end = `\n\n![](${url})`
    const longest = (filler: string): string => {
      const [size, left] = [Buffer.byteLength(filler), MAX_TEXT - end.length]
      return filler.repeat(left / size) + 'x'.repeat(left % size) + end
    }
    for (const [text, missing] of [
      ['', []],
      [longest('x'), [url]],
      [`\u0000\u2028\ud800${end}`, [url]],
      [longest('🎉'), [url]],
      [longest('\u0001'), [url]],
    ]) {
      const response = await editor.send(finalize, json({ text, other: [1] }), ada)
      expect(response.status).toBe(200)
      expect(await response.json()).toEqual({ replacements: {}, missing })
    }
  })

  it('allows ten times as many texts as uploads, counted separately', async () => {
    await editor.close()
    await open({ settings: { uploadRateLimit: '2/minute' } })
    const send = (user: string, csrf?: 'none') =>
      editor.send(finalize, json('no json'), csrf ? { user, csrf } : { user })
    for (let text = 0; text < 20; text++) expect((await send('ada')).status).toBe(400)
    expect((await send('ada')).status).toBe(429)
    expect((await send('ada', 'none')).status).toBe(403)
    expect((await send('grace')).status).toBe(400)
    expect((await editor.send('/md-editor/upload', json('{}'), ada)).status).toBe(400)
    editor.clock.advance(60_000)
    expect((await send('ada')).status).toBe(400)
  })

  it('needs neither cookie nor CSRF token with a bearer token', async () => {
    const authorization = 'Bearer grace'
    const url = await upload({ csrf: 'none' }, { authorization })
    const init = {
      ...json({ text: url }),
      headers: { 'content-type': 'application/json', authorization },
    }
    const response = await editor.send(finalize, init, { csrf: 'none' })
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ replacements: { [url]: permanent(url) } })
  })

  it('serves anonymous sessions when requireAuth is false', async () => {
    await editor.close()
    await open({ settings: { requireAuth: false } })
    const [session, other] = [openSession(), openSession()]
    const text = await upload({ session })
    const send = async (as: Visitor): Promise<unknown> =>
      (await editor.send(finalize, json({ text }), as)).json()
    expect(await send({ session: other })).toEqual({ replacements: {}, missing: [text] })
    expect(await send({ session })).toEqual({
      replacements: { [text]: permanent(text) },
      missing: [],
    })
  })

  it('answers 401 to anonymous requests before it checks anything but the method', async () => {
    const response = await editor.send(finalize, json('nonsense'), { csrf: 'none' })
    expect(await problemOf(response.clone())).toMatchObject({
      detail: 'Sign in to save the files of a text.',
    })
    await expectRefusal(response, 401, 'authentication_required')
  })

  it.each(['none', 'cookie-only', 'header-only', 'mismatch'] as const)(
    'answers 403 csrf_failed with %s (F28)',
    async (csrf) => {
      await expectRefusal(
        await editor.send(finalize, json({ text: 'x' }), { ...ada, csrf }),
        403,
        'csrf_failed',
      )
    },
  )

  it.each([
    ['a number', 7],
    ['true', true],
    ['null', null],
    ['a list', ['x']],
    ['an object', { text: 'x' }],
  ])(
    'answers 400 invalid_request to %s as text, and names the field (F25)',
    async (_what, text) => {
      const response = await editor.send(finalize, json({ text }), ada)
      expect(await problemOf(response.clone())).toMatchObject({
        errors: [{ field: 'text', message: 'must be a string' }],
      })
      await expectRefusal(response, 400, 'invalid_request')
    },
  )

  it.each([
    ['no text', {}],
    ['another property name', { Text: 'x' }],
    ['an inherited text', JSON.parse('{"__proto__":{"text":"x"}}')],
    ['a list', []],
    ['null', 'null'],
    ['a string', '"text"'],
    ['a huge integer', `${'9'.repeat(2000)}`],
    ['a huge integer as text', `{"text":${'9'.repeat(5000)}}`],
    ['deep nesting as text', `{"text":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['deep nesting without its end', '['.repeat(100_000)],
  ])('answers 400 invalid_request to %s (F25)', async (_what, body) => {
    await expectRefusal(await editor.send(finalize, json(body), ada), 400, 'invalid_request')
  })

  it.each([
    ['an empty body', ''],
    ['shallow nesting without its end', '[['],
    ['an incomplete object', '{"text":"a'],
    ['a trailing comma', '{"text":"a",}'],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])],
    ['a form', 'text=a'],
  ])('answers 400 malformed_json to %s (F25)', async (_what, body) => {
    await expectRefusal(await editor.send(finalize, json(body), ada), 400, 'malformed_json')
  })

  it('answers deep nesting with a 400 (F25)', async () => {
    const response = await editor.send(
      finalize,
      json(`${'['.repeat(3000)}${']'.repeat(3000)}`),
      ada,
    )
    await expectRefusal(response, 400, 'invalid_request')
  })

  it('ignores unknown properties', async () => {
    const body = { text: 'a', draft: true, user: { id: '2' }, constructor: {} }
    expect((await editor.send(finalize, json(body), ada)).status).toBe(200)
  })

  it('reads 100 texts, each full of brackets, commas and quotes', async () => {
    const urls = Array.from({ length: 100 }, (_, n) => unknown(n))
    const texts = urls.map(
      (url) => `${'[{":,"}]\\'.repeat(100)} ${url} ${'[{":,"}]\\'.repeat(100)}`,
    )
    const response = await editor.send(finalize, json({ texts }), ada)
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ replacements: {}, missing: urls })
    expect(find).toHaveBeenCalledTimes(100)
  })

  it.each([
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded',
    'text/plain',
    '',
  ])('answers 415 unsupported_media_type to %j (F25)', async (type) => {
    await expectRefusal(
      await editor.send(finalize, json({ text: 'x' }, type), ada),
      415,
      'unsupported_media_type',
    )
  })

  it('finalizes all texts of a form in one request', async () => {
    const [a, b, both] = [await upload(ada), await upload(ada), await upload(ada)]
    const gone = unknown(1)
    const texts = [`${a} ${both} ${gone}`, `${b} ${both} ${gone}`]
    const response = await editor.send(finalize, json({ texts }), ada)
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({
      replacements: { [a]: permanent(a), [b]: permanent(b), [both]: permanent(both) },
      missing: [gone],
    })
    const ids = (...urls: string[]): string[] => urls.map((url) => url.slice(21, 48))
    expect(find.mock.calls).toEqual([[ids(a, both, gone)], [ids(b, both, gone)]])
  })

  it.each([
    ['a string', 'x'],
    ['an empty list', []],
    ['null', null],
    ['a list with a number', ['x', 7]],
    ['too many texts', Array.from({ length: 101 }, () => 'x')],
  ])('answers 400 invalid_request to %s as texts, and names the field', async (_what, texts) => {
    const response = await editor.send(finalize, json({ texts }), ada)
    expect(await problemOf(response.clone())).toMatchObject({ errors: [{ field: 'texts' }] })
    await expectRefusal(response, 400, 'invalid_request')
  })

  it('answers 400 invalid_request to text and texts together', async () => {
    await expectRefusal(
      await editor.send(finalize, json({ text: 'x', texts: ['y'] }), ada),
      400,
      'invalid_request',
    )
  })

  it('counts the bytes of all texts together', async () => {
    const half = '🎉'.repeat(MAX_TEXT / 8)
    expect((await editor.send(finalize, json({ texts: [half, half] }), ada)).status).toBe(200)
    find.mockClear()
    const response = await editor.send(finalize, json({ texts: [half, `${half}x`] }), ada)
    await expectRefusal(response, 413, 'text_too_large')
  })

  it('answers 413 text_too_large to a body that is too large for any accepted text (F26)', async () => {
    const response = await editor.send(
      finalize,
      json({ text: 'x'.repeat(MAX_TEXT * 6 + 2000) }),
      ada,
    )
    await expectRefusal(response, 413, 'text_too_large')
  })

  it('passes on the errors of finalizing', async () => {
    await editor.close()
    const fail = (): never => {
      throw new QuillgateError('text_too_large', 413, 'A text has at most 1000 bytes.')
    }
    await open({ handler: Object.assign(new DefaultUploadHandler(), { finalize: fail }) })
    const text = await upload(ada)
    const response = await editor.send(finalize, json({ text }), ada)
    expect(await problemOf(response)).toMatchObject({ status: 413, code: 'text_too_large' })
  })

  it.each(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])(
    'answers 405 to %s, with allow',
    async (method) => {
      const response = await editor.send(finalize, { method }, { csrf: 'none' })
      expect(response.status).toBe(405)
      expect(response.headers.get('allow')).toBe('POST')
    },
  )
})
