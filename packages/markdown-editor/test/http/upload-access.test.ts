import { describe, expect, it } from 'vitest'
import type { UploadResponse } from '../../../markdown-editor-element/src/contract/wire.ts'
import { openSession, problemOf, sessionId } from './open-routes.ts'
import { ada, fieldPart, filePart, post, raw, UPLOAD, useUploads } from './upload-requests.ts'

const { open, expectRefusal } = useUploads()

describe('POST /md-editor/upload, CSRF protection', () => {
  it('needs neither cookie nor CSRF token with a bearer token', async () => {
    const { send, ledger } = await open()
    const init = post(undefined, { authorization: 'Bearer grace' })
    const response = await send(UPLOAD, init, { csrf: 'none' })
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
      expect((await send(UPLOAD, raw(`${body}--x--\r\n`), { ...ada, csrf: 'none' })).status).toBe(
        201,
      )
    expect(tokens).toEqual([null, null, 'a'])
    expect(await keys()).toHaveLength(3)
  })

  it('reads the CSRF token from the first part of the form', async () => {
    const { send } = await open()
    const session = openSession('ada')
    const body = `${fieldPart('csrf_token', session.token)}${filePart('hello')}--x--\r\n`
    const response = await send(UPLOAD, raw(body), { ...ada, csrf: 'cookie-only', session })
    expect(response.status).toBe(201)
  })

  it('answers 403 csrf_failed and stores nothing unless the first part is the token (F28)', async () => {
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
      const response = await send(UPLOAD, raw(body), { ...ada, csrf: 'cookie-only', session })
      await expectRefusal(response, 403, 'csrf_failed')
    }
  })

  it.each(['none', 'cookie-only', 'header-only', 'mismatch'] as const)(
    'answers 403 csrf_failed with %s (F28)',
    async (csrf) => {
      const { send } = await open()
      const response = await send(UPLOAD, post(), { ...ada, csrf })
      await expectRefusal(response, 403, 'csrf_failed')
    },
  )

  it('answers 403 to other origins, even with a valid token', async () => {
    const { send } = await open()
    const init = post(undefined, { origin: 'https://evil.example' })
    await expectRefusal(await send(UPLOAD, init, ada), 403, 'csrf_failed')
  })

  it('treats Basic authorization like cookies, because browsers add it automatically', async () => {
    const { send } = await open({ routes: { authenticate: () => ({ id: 'ada' }) } })
    const init = post(undefined, { authorization: 'Basic YWRhOnB3' })
    await expectRefusal(await send(UPLOAD, init, { csrf: 'none' }), 403, 'csrf_failed')
  })
})

describe('POST /md-editor/upload, authentication', () => {
  it('answers 401 to anonymous requests before it checks anything but the method', async () => {
    const { send } = await open()
    await expectRefusal(
      await send(UPLOAD, raw('nonsense'), { csrf: 'none' }),
      401,
      'authentication_required',
    )
    await expectRefusal(await send(UPLOAD, post()), 401, 'authentication_required')
    expect(
      await problemOf(await send(UPLOAD, { method: 'DELETE' }, { csrf: 'none' })),
    ).toMatchObject({
      status: 405,
      code: 'method_not_allowed',
    })
  })

  it.each([true, false])(
    'ignores cookies next to a bad bearer token, with requireAuth %s',
    async (requireAuth) => {
      const { send } = await open({ settings: { requireAuth } })
      const init = post(undefined, { authorization: 'Bearer bad' })
      const [status, code] = requireAuth
        ? ([401, 'authentication_required'] as const)
        : ([403, 'csrf_failed'] as const)
      await expectRefusal(await send(UPLOAD, init, ada), status, code)
    },
  )

  it.each([{}, { _id: 'a' }, { id: '' }, { id: Number.NaN }, false, true])(
    'answers 500 to the invalid user %j, and stores nothing',
    async (user) => {
      for (const requireAuth of [true, false]) {
        const routes = {
          authenticate: () => user as never,
          csrf: { verify: () => true, session: () => 'a' },
        }
        const { send, keys, unexpected } = await open({ settings: { requireAuth }, routes })
        await expectRefusal(await send(UPLOAD, post()), 500, 'invalid_user')
        expect(await keys()).toEqual([])
        expect(unexpected).toHaveLength(1)
      }
    },
  )
})

describe('POST /md-editor/upload, requireAuth false', () => {
  const settings = { requireAuth: false }

  it('makes the anonymous session the owner of its uploads', async () => {
    const { send, ledger } = await open({ settings })
    const session = openSession()
    const response = await send(UPLOAD, post(), { session })
    expect(response.status).toBe(201)
    const { url } = (await response.json()) as UploadResponse
    expect(await ledger.get(url.slice(21, 48))).toMatchObject({
      owner: `anon:${sessionId(session)}`,
    })
  })

  it('still requires the CSRF token', async () => {
    const { send } = await open({ settings })
    await expectRefusal(await send(UPLOAD, post(), { csrf: 'none' }), 403, 'csrf_failed')
  })

  it('answers 401 if the CSRF protection of the application has no sessions', async () => {
    const { send } = await open({ settings, routes: { csrf: { verify: () => true } } })
    const response = await send(UPLOAD, post())
    await expectRefusal(response, 401, 'authentication_required')
  })
})
