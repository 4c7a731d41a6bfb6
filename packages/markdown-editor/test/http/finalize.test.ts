import { QuillgateError } from '@quillgate/server/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type OpenRoutes, openRoutes, openSession, problemOf, sessionId } from './open-routes.ts'

const MAX_TEXT = 4 * 1024 * 1024

let editor: OpenRoutes
beforeEach(async () => {
  editor = await openRoutes()
})
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
  expect(editor.finalized).toEqual([])
}

describe('POST /md-editor/finalize', () => {
  it('answers 200 with the replacements and the missing URLs only', async () => {
    const response = await editor.send(finalize, json({ text: '![](/media/a)' }), ada)
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.json()).toEqual({
      replacements: { '/media/a': '/media/b' },
      missing: ['/media/c'],
    })
    expect(editor.finalized).toEqual([
      { text: '![](/media/a)', principal: { owner: 'user:ada', user: { id: 'ada' } } },
    ])
  })

  it('accepts texts of every kind unchanged', async () => {
    for (const text of [
      '',
      'x'.repeat(MAX_TEXT),
      '\u0000\u2028\ud800',
      '🎉'.repeat(MAX_TEXT / 4),
      '\u0001'.repeat(MAX_TEXT),
    ]) {
      expect((await editor.send(finalize, json({ text, other: [1] }), ada)).status).toBe(200)
      expect(editor.finalized.at(-1)?.text).toBe(text)
    }
  })

  it('allows ten times as many texts as uploads, counted separately', async () => {
    await editor.close()
    editor = await openRoutes({ settings: { uploadRateLimit: '2/minute' } })
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
    const init = {
      ...json({ text: 'x' }),
      headers: { 'content-type': 'application/json', authorization: 'Bearer grace' },
    }
    expect((await editor.send(finalize, init, { csrf: 'none' })).status).toBe(200)
    expect(editor.finalized[0]?.principal.owner).toBe('user:grace')
  })

  it('serves anonymous sessions when requireAuth is false', async () => {
    await editor.close()
    editor = await openRoutes({ settings: { requireAuth: false } })
    const session = openSession()
    expect((await editor.send(finalize, json({ text: 'x' }), { session })).status).toBe(200)
    expect(editor.finalized[0]?.principal).toEqual({
      owner: `anon:${sessionId(session)}`,
      user: null,
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
    'F28: answers 403 csrf_failed with %s',
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
  ])('F25: answers 400 invalid_request to %s as text, and names the field', async (_what, text) => {
    const response = await editor.send(finalize, json({ text }), ada)
    expect(await problemOf(response.clone())).toMatchObject({
      errors: [{ field: 'text', message: 'must be a string' }],
    })
    await expectRefusal(response, 400, 'invalid_request')
  })

  it.each([
    ['no text', {}],
    ['another property name', { Text: 'x' }],
    ['an inherited text', JSON.parse('{"__proto__":{"text":"x"}}')],
    ['a list', []],
    ['null', 'null'],
    ['a string', '"text"'],
    ['a huge integer', `${'9'.repeat(2000)}`],
  ])('F25: answers 400 invalid_request to %s', async (_what, body) => {
    await expectRefusal(await editor.send(finalize, json(body), ada), 400, 'invalid_request')
  })

  it.each([
    ['an empty body', ''],
    ['an incomplete object', '{"text":"a'],
    ['a trailing comma', '{"text":"a",}'],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])],
    ['a form', 'text=a'],
  ])('F25: answers 400 malformed_json to %s', async (_what, body) => {
    await expectRefusal(await editor.send(finalize, json(body), ada), 400, 'malformed_json')
  })

  it('F25: answers deep nesting with a 400', async () => {
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
    const texts = Array.from({ length: 100 }, () => '[{":,"}]\\'.repeat(100))
    expect((await editor.send(finalize, json({ texts }), ada)).status).toBe(200)
    expect(editor.finalized.map(({ text }) => text)).toEqual(texts)
  })

  it.each([
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded',
    'text/plain',
    '',
  ])('F25: answers 415 unsupported_media_type to %j', async (type) => {
    await expectRefusal(
      await editor.send(finalize, json({ text: 'x' }, type), ada),
      415,
      'unsupported_media_type',
    )
  })

  it('finalizes all texts of a form in one request', async () => {
    await editor.close()
    const texts: string[] = []
    const routes = {
      finalize: async (text: string) => {
        texts.push(text)
        const url = `/media/${text}`
        return {
          text,
          replacements: { [url]: `${url}-kept`, '/media/both': '/media/kept' },
          missing: ['/media/gone'],
        }
      },
    }
    editor = await openRoutes({ routes })
    const response = await editor.send(finalize, json({ texts: ['a', 'b'] }), ada)
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({
      replacements: {
        '/media/a': '/media/a-kept',
        '/media/b': '/media/b-kept',
        '/media/both': '/media/kept',
      },
      missing: ['/media/gone'],
    })
    expect(texts).toEqual(['a', 'b'])
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
    editor.finalized.length = 0
    const response = await editor.send(finalize, json({ texts: [half, `${half}x`] }), ada)
    await expectRefusal(response, 413, 'text_too_large')
  })

  it('F26: answers 413 text_too_large to a body that is too large for any accepted text', async () => {
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
    editor = await openRoutes({ routes: { finalize: async () => fail() } })
    await expectRefusal(
      await editor.send(finalize, json({ text: 'x' }), ada),
      413,
      'text_too_large',
    )
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
