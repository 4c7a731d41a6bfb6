import { ValidationError } from '@quillgate/markdown-editor'
import { afterEach, describe, expect, it } from 'vitest'
import type { UploadResponse } from '../../../markdown-editor-element/src/contract/wire.ts'
import { DefaultUploadHandler } from '../../src/media/upload/upload-handler.ts'
import { handlerWith, keyOfUrl } from '../editor-fixture.ts'
import { IMAGES } from '../media/upload/images/image-samples.ts'
import { PNG } from '../media/upload/samples.ts'
import {
  formWith,
  type OpenOptions,
  type OpenRoutes,
  openRoutes,
  openSession,
  problemOf,
  sessionId,
  type Visitor,
} from './open-routes.ts'

let editor: OpenRoutes
const open = async (options?: OpenOptions): Promise<OpenRoutes> => {
  editor = await openRoutes(options)
  return editor
}
afterEach(() => editor.close())

const ada = { user: 'ada' }
const upload = '/md-editor/upload'

const raw = (body: string, contentType = 'multipart/form-data; boundary=x'): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': contentType },
  body,
})

const filePart = (content: string, name = 'file'): string =>
  `--x\r\ncontent-disposition: form-data; name="${name}"; filename="a.txt"\r\ncontent-type: text/plain\r\n\r\n${content}\r\n`

const fieldPart = (name: string, value: string): string =>
  `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`

async function expectRefusal(response: Response, status: number, code: string): Promise<void> {
  expect(await problemOf(response)).toMatchObject({ status, code })
  expect(await editor.keys()).toEqual([])
}

describe('POST /md-editor/upload', () => {
  it('answers 201 with URL, name and type of a temporary file of the user', async () => {
    const { send, ledger, keys } = await open()
    const response = await send(
      upload,
      { method: 'POST', body: formWith(PNG, 'mein Foto.PNG') },
      ada,
    )
    expect(response.status).toBe(201)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('content-type')).toContain('application/json')
    const { url, name, type } = (await response.json()) as UploadResponse
    expect(url).toMatch(/^\/media\/md-editor\/tmp\/m[0-9a-z]{26}-1x1-mein_Foto\.png$/)
    expect({ name, type }).toEqual({ name: 'mein Foto.PNG', type: 'image/png' })
    expect(await keys()).toEqual([keyOfUrl(url)])
    expect(await ledger.get(url.slice(21, 48))).toMatchObject({
      state: 'temporary',
      owner: 'user:ada',
    })
  })

  it.each([
    [
      'a WebP declared as a JPEG',
      IMAGES.lossyWebp,
      'photo.jpg',
      'image/jpeg',
      'image/webp',
      /photo_jpg\.webp$/,
      'inline',
    ],
    [
      'text in UTF-16',
      Buffer.from('\ufeff<p>ü', 'utf16le'),
      'a.md',
      '',
      'text/plain',
      /a\.txt$/,
      'attachment',
    ],
    [
      'text in Windows-1252',
      Buffer.from('Gr\xfc\xdfe', 'latin1'),
      'a.txt',
      'text/plain',
      'text/plain',
      /a\.txt$/,
      'attachment',
    ],
    [
      'a PDF after a line break',
      Buffer.from('\r\n%PDF-1.7'),
      'a.pdf',
      '',
      'application/pdf',
      /a\.pdf$/,
      'attachment',
    ],
  ])(
    'stores and serves %s under its actual type',
    async (_, bytes, filename, sent, type, url, disposition) => {
      const { send } = await open()
      const response = await send(
        upload,
        { method: 'POST', body: formWith(bytes, filename, sent) },
        ada,
      )
      const answer = (await response.json()) as UploadResponse
      expect(answer).toMatchObject({ name: filename, type, url: expect.stringMatching(url) })
      const { headers, ...served } = await send(answer.url, {}, ada).then(async (found) => ({
        headers: found.headers,
        bytes: Buffer.from(await found.arrayBuffer()),
      }))
      expect(served.bytes).toEqual(bytes)
      expect(headers.get('content-type')).toBe(type)
      expect(headers.get('content-disposition')).toContain(disposition)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('content-security-policy')).toMatch(/sandbox$/)
    },
  )

  it('ignores other fields, before and after the file', async () => {
    const { send } = await open()
    const body = `${fieldPart('x', '1')}${filePart('hello')}${fieldPart('y', '2')}--x--\r\n`
    expect((await send(upload, raw(body), ada)).status).toBe(201)
  })

  it('needs neither cookie nor CSRF token with a bearer token', async () => {
    const { send, ledger } = await open()
    const init = { method: 'POST', body: formWith(PNG), headers: { authorization: 'Bearer grace' } }
    const response = await send(upload, init, { csrf: 'none' })
    expect(response.status).toBe(201)
    const { url } = (await response.json()) as UploadResponse
    expect(await ledger.get(url.slice(21, 48))).toMatchObject({ owner: 'user:grace' })
  })

  it('accepts a form without a token if the CSRF check of the application accepts it', async () => {
    const tokens: unknown[] = []
    const verify = (_context: unknown, token: string | null) => tokens.push(token) > 0
    const { send, keys } = await open({ routes: { csrf: { verify } } })
    const bodies = [
      filePart('hello'),
      fieldPart('x', '1') + filePart('hello'),
      fieldPart('csrf_token', 'a') + filePart('hello'),
    ]
    for (const body of bodies)
      expect((await send(upload, raw(`${body}--x--\r\n`), { ...ada, csrf: 'none' })).status).toBe(
        201,
      )
    expect(tokens).toEqual([null, null, 'a'])
    expect(await keys()).toHaveLength(3)
  })

  it('reads the CSRF token from the first part of the form', async () => {
    const { send } = await open()
    const session = openSession('ada')
    const body = `${fieldPart('csrf_token', session.token)}${filePart('hello')}--x--\r\n`
    const response = await send(upload, raw(body), { user: 'ada', csrf: 'cookie-only', session })
    expect(response.status).toBe(201)
  })

  it('F28: answers 403 csrf_failed and stores nothing unless the first part is the token', async () => {
    const { send } = await open()
    const session = openSession('ada')
    const token = fieldPart('csrf_token', session.token)
    const bodies = [
      `${filePart('hello')}--x--\r\n`,
      `${filePart('hello')}${token}--x--\r\n`,
      `${fieldPart('x', '1')}${token}${filePart('hello')}--x--\r\n`,
      `${fieldPart('csrf_token', openSession('ada').token)}${filePart('hello')}--x--\r\n`,
      `${fieldPart('csrf_token', openSession('grace').token)}${filePart('hello')}--x--\r\n`,
      `--x\r\ncontent-disposition: form-data; name="csrf_token"; filename="a.txt"\r\n\r\n${session.token}\r\n--x--\r\n`,
    ]
    for (const body of bodies) {
      const response = await send(upload, raw(body), { user: 'ada', csrf: 'cookie-only', session })
      await expectRefusal(response, 403, 'csrf_failed')
    }
  })

  it.each(['none', 'cookie-only', 'header-only', 'mismatch'] as const)(
    'F28: answers 403 csrf_failed with %s',
    async (csrf) => {
      const { send } = await open()
      const response = await send(
        upload,
        { method: 'POST', body: formWith(PNG) },
        { user: 'ada', csrf },
      )
      await expectRefusal(response, 403, 'csrf_failed')
    },
  )

  it('answers 403 to other origins, even with a valid token', async () => {
    const { send } = await open()
    const init = {
      method: 'POST',
      body: formWith(PNG),
      headers: { origin: 'https://evil.example' },
    }
    await expectRefusal(await send(upload, init, ada), 403, 'csrf_failed')
  })

  it('treats Basic authorization like cookies, because browsers add it automatically', async () => {
    const { send } = await open({ routes: { authenticate: () => ({ id: 'ada' }) } })
    const init = {
      method: 'POST',
      body: formWith(PNG),
      headers: { authorization: 'Basic YWRhOnB3' },
    }
    await expectRefusal(await send(upload, init, { csrf: 'none' }), 403, 'csrf_failed')
  })

  it('answers 401 to anonymous requests before it checks anything but the method', async () => {
    const { send } = await open()
    await expectRefusal(
      await send(upload, raw('nonsense'), { csrf: 'none' }),
      401,
      'authentication_required',
    )
    await expectRefusal(
      await send(upload, { method: 'POST', body: formWith(PNG) }),
      401,
      'authentication_required',
    )
    expect(
      await problemOf(await send(upload, { method: 'DELETE' }, { csrf: 'none' })),
    ).toMatchObject({
      status: 405,
      code: 'method_not_allowed',
    })
  })

  it.each([true, false])(
    'ignores cookies next to a bad bearer token, with requireAuth %s',
    async (requireAuth) => {
      const { send } = await open({ settings: { requireAuth } })
      const init = { method: 'POST', body: formWith(PNG), headers: { authorization: 'Bearer bad' } }
      const [status, code] = requireAuth
        ? ([401, 'authentication_required'] as const)
        : ([403, 'csrf_failed'] as const)
      await expectRefusal(await send(upload, init, ada), status, code)
    },
  )

  it.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    'answers 405 to %s, with allow',
    async (method) => {
      const { send } = await open()
      const response = await send(upload, { method }, ada)
      expect(response.status).toBe(405)
      expect(response.headers.get('allow')).toBe('POST')
    },
  )

  it('answers 404 with a final slash', async () => {
    const { send } = await open()
    await expectRefusal(
      await send(`${upload}/`, { method: 'POST', body: formWith(PNG) }, ada),
      404,
      'not_found',
    )
  })
})

describe('POST /md-editor/upload, broken forms', () => {
  it.each([
    ['no parts', '--x--\r\n'],
    ['a text field called file', `${fieldPart('file', 'hello')}--x--\r\n`],
    ['another field', `${filePart('hello', 'File')}--x--\r\n`],
    ['file[]', `${filePart('hello', 'file[]')}--x--\r\n`],
    [
      'an empty file name',
      '--x\r\ncontent-disposition: form-data; name="file"; filename=""\r\ncontent-type: application/octet-stream\r\n\r\n\r\n--x--\r\n',
    ],
  ])('answers 400 missing_file to %s', async (_what, body) => {
    const { send } = await open()
    await expectRefusal(await send(upload, raw(body), ada), 400, 'missing_file')
  })

  it.each([
    'application/json',
    'image/png',
    'application/x-www-form-urlencoded',
    'multipart/mixed; boundary=x',
    '',
  ])('answers 400 missing_file to a body of type %j', async (type) => {
    const { send } = await open()
    await expectRefusal(
      await send(upload, raw(`${filePart('hello')}--x--\r\n`, type), ada),
      400,
      'missing_file',
    )
  })

  it('answers 400 missing_file without a body', async () => {
    const { send } = await open()
    await expectRefusal(await send(upload, { method: 'POST' }, ada), 400, 'missing_file')
  })

  it('F29: answers 400 multiple_files to two files, and stores neither', async () => {
    const { send } = await open()
    const same = `${filePart('one')}${filePart('two')}--x--\r\n`
    await expectRefusal(await send(upload, raw(same), ada), 400, 'multiple_files')
    const other = `${filePart('one')}${filePart('two', 'second')}--x--\r\n`
    await expectRefusal(await send(upload, raw(other), ada), 400, 'multiple_files')
  })

  it('F29: answers 400 empty_file to zero bytes', async () => {
    const { send } = await open()
    await expectRefusal(
      await send(upload, { method: 'POST', body: formWith('') }, ada),
      400,
      'empty_file',
    )
  })

  it.each([
    ['without a boundary', 'x', 'multipart/form-data'],
    ['that ends in a header', '--x\r\ncontent-disposition: form-data; na', undefined],
    ['that ends in the file', filePart('hello'), undefined],
    ['that ends before the last boundary', `${filePart('hello')}--x`, undefined],
    ['that is nonsense', 'nonsense', undefined],
    ['that is empty', '', undefined],
  ])('answers 400 malformed_multipart to a form %s', async (_what, body, type) => {
    const { send } = await open()
    await expectRefusal(await send(upload, raw(body, type), ada), 400, 'malformed_multipart')
  })

  it('answers 413 to a form with too many parts, and stores nothing', async () => {
    const { send } = await open()
    const body = `${filePart('hello')}${fieldPart('x', '1').repeat(100)}--x--\r\n`
    await expectRefusal(await send(upload, raw(body), ada), 413, 'too_many_parts')
  })
})

describe('POST /md-editor/upload, rejected files', () => {
  it('answers 413 file_too_large at the first byte over the limit', async () => {
    const { send, keys } = await open({ settings: { maxUploadSize: 1000 } })
    const text = (size: number) => ({
      method: 'POST',
      body: formWith('x'.repeat(size), 'a.txt', 'text/plain'),
    })
    await expectRefusal(await send(upload, text(1001), ada), 413, 'file_too_large')
    await expectRefusal(await send(upload, text(100_000), ada), 413, 'file_too_large')
    expect((await send(upload, text(1000), ada)).status).toBe(201)
    expect(await keys()).toHaveLength(1)
  })

  it('answers 413 quota_exceeded', async () => {
    const { send } = await open({ settings: { ownerQuota: 10 } })
    await expectRefusal(
      await send(upload, { method: 'POST', body: formWith(PNG) }, ada),
      413,
      'quota_exceeded',
    )
  })

  it('F7: answers 415 to a type that is not allowed, and to bytes of another type', async () => {
    const { send } = await open()
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'
    for (const form of [
      formWith(svg, 'x.svg', 'image/svg+xml'),
      formWith('<script>alert(1)</script>', 'x.html', 'text/html'),
      formWith('<script>alert(1)</script>', 'x.png'),
      formWith(svg, 'x.png'),
      formWith(PNG, 'x.pdf', 'application/pdf'),
      formWith(svg, 'x', ''),
      formWith('<html>', 'x.txt', 'text/plain'),
    ]) {
      await expectRefusal(
        await send(upload, { method: 'POST', body: form }, ada),
        415,
        'unsupported_media_type',
      )
    }
  })

  it('answers 422 validation_error with the message of the handler', async () => {
    class NoPictures extends DefaultUploadHandler {
      override validate(): void {
        throw new ValidationError('No pictures, please.')
      }
    }
    const { send } = await open({ handler: new NoPictures() })
    const response = await send(upload, { method: 'POST', body: formWith(PNG) }, ada)
    expect(await problemOf(response)).toMatchObject({
      status: 422,
      code: 'validation_error',
      detail: 'No pictures, please.',
    })
    expect(await editor.keys()).toEqual([])
  })

  it('answers 500 without details when a handler fails, and stores nothing', async () => {
    const { send, unexpected } = await open({
      handler: handlerWith({
        validate: () => {
          throw new TypeError('the scanner at 10.0.0.7 is down')
        },
      }),
    })
    const response = await send(upload, { method: 'POST', body: formWith(PNG) }, ada)
    const { detail, ...problem } = await problemOf(response)
    expect(problem).toMatchObject({ status: 500, code: 'internal_error' })
    expect(detail).not.toContain('10.0.0.7')
    expect(unexpected).toEqual([expect.any(TypeError)])
    expect(await editor.keys()).toEqual([])
  })
})

describe('POST /md-editor/upload, requireAuth false', () => {
  const settings = { requireAuth: false }

  it('makes the anonymous session the owner of its uploads', async () => {
    const { send, ledger } = await open({ settings })
    const session = openSession()
    const response = await send(upload, { method: 'POST', body: formWith(PNG) }, { session })
    expect(response.status).toBe(201)
    const { url } = (await response.json()) as UploadResponse
    expect(await ledger.get(url.slice(21, 48))).toMatchObject({
      owner: `anon:${sessionId(session)}`,
    })
  })

  it('still requires the CSRF token', async () => {
    const { send } = await open({ settings })
    await expectRefusal(
      await send(upload, { method: 'POST', body: formWith(PNG) }, { csrf: 'none' }),
      403,
      'csrf_failed',
    )
  })

  it('answers 401 if the CSRF protection of the application has no sessions', async () => {
    const { send } = await open({ settings, routes: { csrf: { verify: () => true } } })
    const response = await send(upload, { method: 'POST', body: formWith(PNG) })
    await expectRefusal(response, 401, 'authentication_required')
  })
})

describe('authenticate', () => {
  it.each([{}, { _id: 'a' }, { id: '' }, { id: Number.NaN }, false, true])(
    'answers 500 to the invalid user %j, and stores nothing',
    async (user) => {
      for (const requireAuth of [true, false]) {
        const routes = {
          authenticate: () => user as never,
          csrf: { verify: () => true, session: () => 'a' },
        }
        const { send, keys, unexpected } = await open({ settings: { requireAuth }, routes })
        await expectRefusal(
          await send(upload, { method: 'POST', body: formWith(PNG) }),
          500,
          'invalid_user',
        )
        expect(await keys()).toEqual([])
        expect(unexpected).toHaveLength(1)
      }
    },
  )
})

describe('uploadRateLimit', () => {
  const post = (): RequestInit => ({ method: 'POST', body: formWith(PNG) })

  it('counts the uploads of each user, and allows more as time passes', async () => {
    const { send, clock, keys } = await open({ settings: { uploadRateLimit: '2/minute' } })
    expect((await send(upload, post(), ada)).status).toBe(201)
    expect((await send(upload, post(), { ...ada, address: '198.51.100.7' })).status).toBe(201)
    const refused = await send(upload, post(), ada)
    expect(refused.headers.get('retry-after')).toBe('60')
    expect(await problemOf(refused)).toMatchObject({ status: 429, code: 'rate_limited' })
    expect((await send(upload, post(), { user: 'grace' })).status).toBe(201)
    clock.advance(60_000)
    expect((await send(upload, post(), ada)).status).toBe(201)
    expect(await keys()).toHaveLength(4)
  })

  it('is 20 times higher for anonymous visitors behind an untrusted proxy, but not for users', async () => {
    const { send } = await open({ settings: { uploadRateLimit: '1/minute', requireAuth: false } })
    const proxied = { ...post(), headers: { 'x-forwarded-for': '203.0.113.1' } }
    const statuses = async (count: number, as: Visitor): Promise<number[]> => {
      const answers: number[] = []
      for (let i = 0; i < count; i++)
        answers.push((await send(upload, { ...proxied, body: formWith(PNG) }, as)).status)
      return answers
    }
    expect(await statuses(21, { address: '127.0.0.1' })).toEqual([...Array(20).fill(201), 429])
    expect(await statuses(2, { ...ada, address: '127.0.0.1' })).toEqual([201, 429])
  })

  it('counts anonymous uploads by address, because sessions cost nothing', async () => {
    const { send } = await open({ settings: { uploadRateLimit: '1/minute', requireAuth: false } })
    expect((await send(upload, post())).status).toBe(201)
    expect((await send(upload, post())).status).toBe(429)
    expect((await send(upload, post(), { address: '198.51.100.7' })).status).toBe(201)
  })

  it('does not count requests that CSRF protection rejects', async () => {
    const { send } = await open({ settings: { uploadRateLimit: '1/minute' } })
    for (let attempt = 0; attempt < 3; attempt++) {
      expect((await send(upload, post(), { ...ada, csrf: 'none' })).status).toBe(403)
    }
    expect((await send(upload, post(), ada)).status).toBe(201)
  })

  it('can be disabled', async () => {
    const { send } = await open({ settings: { uploadRateLimit: null } })
    for (let index = 0; index < 70; index++)
      expect((await send(upload, post(), ada)).status).toBe(201)
  })
})
