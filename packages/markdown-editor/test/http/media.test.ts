import { createHash } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import type { Medium } from '../../src/media/ledger/medium.ts'
import { PNG, SAMPLES } from '../media/upload/samples.ts'
import { type OpenOptions, type OpenRoutes, openRoutes, problemOf } from './open-routes.ts'
import { promoteFile, uploadFile } from './stored-files.ts'

let editor: OpenRoutes
afterEach(() => editor.close())

const TEXT = '0123456789abcdefghij'

const upload = (
  bytes: Uint8Array | string = TEXT,
  name = 'a.txt',
  type = 'text/plain',
): Promise<Medium> => uploadFile(editor, bytes, name, type)
const promote = (medium: Medium): Promise<Medium> => promoteFile(editor, medium)

async function openPermanent(options?: OpenOptions): Promise<{ medium: Medium; url: string }> {
  editor = await openRoutes(options)
  const medium = await promote(await upload())
  return { medium, url: `/media/${medium.key}` }
}

const get = (
  url: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<Response> => editor.send(url, { method, headers }, { csrf: 'none' })

describe('GET /media/…, a temporary file', () => {
  it('is served without caching', async () => {
    editor = await openRoutes()
    const { tempKey } = await upload(PNG, 'photo.png', 'image/png')
    const response = await get(`/media/${tempKey}`)
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    expect(response.headers.get('content-type')).toBe('image/png')
    expect(Buffer.from(await response.arrayBuffer()).equals(PNG)).toBe(true)
  })

  it('remains at its temporary URL during promotion', async () => {
    editor = await openRoutes()
    const medium = await upload()
    const key = medium.tempKey.replace('tmp', 'uploads')
    await editor.ledger.beginPromotion(medium.id, key, editor.clock())
    expect((await get(`/media/${medium.tempKey}`)).status).toBe(200)
    expect((await get(`/media/${key}`)).status).toBe(404)
  })

  it('redirects to its permanent URL after promotion', async () => {
    editor = await openRoutes()
    const medium = await promote(await upload(PNG, 'фото.png', 'image/png'))
    const response = await get(`/media/${medium.tempKey}`)
    expect(response.status).toBe(302)
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    const location = response.headers.get('location') ?? ''
    expect(location).toBe(
      `/media/md-editor/uploads/2026/03/${medium.id}-${encodeURIComponent('фото')}.png`,
    )
    expect((await get(location)).status).toBe(200)
  })

  it('redirects if it is promoted during the request', async () => {
    const { medium, url } = await openPermanent()
    const before = { ...medium, state: 'temporary' as const, key: null }
    const answers = [before, medium]
    await editor.close()
    const { storage } = editor
    editor = await openRoutes({
      storage,
      routes: { get: async () => answers.shift() ?? null },
    })
    const response = await get(`/media/${medium.tempKey}`)
    expect(response.status).toBe(302)
    expect(response.headers.get('location')).toBe(url)
  })
})

describe('GET /media/…, a permanent file', () => {
  it('has the headers that prevent active content', async () => {
    const { medium, url } = await openPermanent()
    const response = await get(url)
    expect(response.status).toBe(200)
    expect(await response.text()).toBe(TEXT)
    expect(Object.fromEntries(response.headers)).toEqual({
      'accept-ranges': 'bytes',
      'cache-control': 'max-age=300',
      'content-disposition': `attachment; filename="a.txt"; filename*=UTF-8''a.txt`,
      'content-length': '20',
      'content-security-policy':
        "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox",
      'cross-origin-resource-policy': 'cross-origin',
      'content-type': 'text/plain',
      etag: `"${createHash('sha256').update(TEXT).digest('hex')}"`,
      'x-content-type-options': 'nosniff',
    })
    expect(medium.state).toBe('permanent')
  })

  it('answers HEAD with the same headers and no body', async () => {
    const { url } = await openPermanent()
    const [head, full] = [await get(url, {}, 'HEAD'), await get(url)]
    expect(head.status).toBe(200)
    expect(await head.text()).toBe('')
    expect(Object.fromEntries(head.headers)).toEqual(Object.fromEntries(full.headers))
  })

  it.each(SAMPLES)('displays %s inline only if browsers can do so safely', async (type, bytes) => {
    editor = await openRoutes()
    const medium = await promote(await upload(bytes, 'sample', type))
    const response = await get(`/media/${medium.key}`)
    const kind = /^(?:image|audio|video)\//.test(type) ? 'inline' : 'attachment'
    expect(response.headers.get('content-disposition')).toMatch(
      new RegExp(`^${kind}; filename="sample\\.\\w+"`),
    )
    expect(response.headers.get('content-type')?.split(';')[0]).toBe(type)
  })

  it('downloads with the extension of its type (F7)', async () => {
    editor = await openRoutes()
    const medium = await promote(await upload('alert(1)', 'a "b"\u202e.js', 'text/plain'))
    const response = await get(`/media/${medium.key}`)
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="a _b_.js.txt"; filename*=UTF-8''a%20%22b%22.js.txt`,
    )
  })

  it('answers 304 if the client has the current version', async () => {
    const { medium, url } = await openPermanent()
    for (const match of [
      `"${medium.checksum}"`,
      `W/"${medium.checksum}"`,
      `"x", "${medium.checksum}"`,
      '*',
    ]) {
      const response = await get(url, { 'if-none-match': match })
      expect(response.status).toBe(304)
      expect(await response.text()).toBe('')
      expect(response.headers.get('etag')).toBe(`"${medium.checksum}"`)
    }
    expect((await get(url, { 'if-none-match': '"x"' })).status).toBe(200)
  })

  it('answers 412 if the client requires another version', async () => {
    const { medium, url } = await openPermanent()
    for (const match of [`"${medium.checksum}"`, `"x" , "${medium.checksum}"`, '*']) {
      expect((await get(url, { 'if-match': match })).status).toBe(200)
    }
    for (const match of ['"x"', `W/"${medium.checksum}"`, String(medium.checksum), '']) {
      const response = await get(url, {
        'if-match': match,
        'if-none-match': `"${medium.checksum}"`,
      })
      expect(await problemOf(response)).toMatchObject({ status: 412, code: 'precondition_failed' })
    }
  })

  it.each([
    ['bytes=0-4', '01234', 'bytes 0-4/20'],
    ['bytes=15-', 'fghij', 'bytes 15-19/20'],
    ['bytes=-3', 'hij', 'bytes 17-19/20'],
    ['bytes=-100', TEXT, 'bytes 0-19/20'],
    ['bytes=10-1000', 'abcdefghij', 'bytes 10-19/20'],
    ['BYTES=19-19', 'j', 'bytes 19-19/20'],
  ])('answers 206 to %s', async (range, expected, contentRange) => {
    const { url } = await openPermanent()
    const response = await get(url, { range })
    expect(response.status).toBe(206)
    expect(await response.text()).toBe(expected)
    expect(response.headers.get('content-range')).toBe(contentRange)
    expect(response.headers.get('content-length')).toBe(String(expected.length))
  })

  it.each(['bytes=20-', 'bytes=100-200', 'bytes=-0', `bytes=${'9'.repeat(400)}-`])(
    'answers 416 to %s',
    async (range) => {
      const { url } = await openPermanent()
      const response = await get(url, { range })
      expect(response.headers.get('content-range')).toBe('bytes */20')
      expect(await problemOf(response)).toMatchObject({
        status: 416,
        code: 'range_not_satisfiable',
      })
    },
  )

  it.each(['bytes=0-1,4-5', 'bytes=5-2', 'bytes=-', 'bytes=a-b', 'items=0-1', 'bytes', ''])(
    'answers with the whole file to %j, which is not a single range',
    async (range) => {
      const { url } = await openPermanent()
      const response = await get(url, { range })
      expect(response.status).toBe(200)
      expect(await response.text()).toBe(TEXT)
    },
  )

  it('answers with a range only if the client has the current version', async () => {
    const { medium, url } = await openPermanent()
    expect(
      (await get(url, { range: 'bytes=0-4', 'if-range': `"${medium.checksum}"` })).status,
    ).toBe(206)
    for (const condition of [
      '"other"',
      `W/"${medium.checksum}"`,
      'Sun, 15 Mar 2026 12:00:00 GMT',
    ]) {
      expect((await get(url, { range: 'bytes=0-4', 'if-range': condition })).status).toBe(200)
    }
  })

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])(
    'answers 405 to %s, with allow',
    async (method) => {
      const { url } = await openPermanent()
      const response = await get(url, {}, method)
      expect(response.headers.get('allow')).toBe('GET, HEAD')
      expect(await problemOf(response)).toMatchObject({ status: 405, code: 'method_not_allowed' })
      expect((await get(url)).status).toBe(200)
    },
  )
})

describe('GET /media/…, a missing file', () => {
  it('answers 404 to paths without a file', async () => {
    const { medium } = await openPermanent()
    const id = medium.id
    for (const path of [
      '',
      'x',
      'md-editor/',
      'md-editor/uploads/2026/03/',
      `md-editor/uploads/2026/03/${id}`,
      `md-editor/uploads/2026/03/${id}-b.txt`,
      `md-editor/uploads/2026/04/${id}-a.txt`,
      `md-editor/tmp/${id}-b.txt`,
      `${id}-a.txt`,
      `md-editor/uploads/2026/03/${id.toUpperCase()}-a.txt`,
      `md-editor/uploads/2026/03/${id}-a.txt/`,
      `md-editor/uploads/2026/03/m${'0'.repeat(26)}-a.txt`,
      `md-editor//uploads/2026/03/${id}-a.txt`,
      'quillgate-installation.txt',
      '%',
      '%ff',
      '%00',
      '..%2f..%2fetc%2fpasswd',
      '....//....//etc/passwd',
      '%5c..%5c',
      'md-editor/tmp/__proto__',
    ]) {
      expect(await problemOf(await get(`/media/${path}`)), path).toMatchObject({
        status: 404,
        code: 'not_found',
      })
    }
  })

  it('never serves anything outside the media folders (F9)', async () => {
    const { medium } = await openPermanent()
    await editor.storage.write('md-editor/tmp-private/secret.txt', secret(), { type: 'text/plain' })
    await editor.storage.write(`md-editor/tmp-private/${medium.id}-a.txt`, secret(), {
      type: 'text/plain',
    })
    for (const path of [
      'md-editor/tmp-private/secret.txt',
      'md-editor/tmp/../tmp-private/secret.txt',
      `md-editor/tmp-private/${medium.id}-a.txt`,
      `md-editor/tmp/..%2ftmp-private%2f${medium.id}-a.txt`,
    ]) {
      expect((await get(`/media/${path}`)).status).toBe(404)
    }
  })

  it('answers 404 to files being uploaded, orphans and deleted files', async () => {
    const { medium, url } = await openPermanent()
    for (const state of ['uploading', 'orphaned', 'deleting', 'deleted'] as const) {
      const gone = { ...medium, state, size: state === 'uploading' ? null : medium.size }
      const { storage } = editor
      await editor.close()
      editor = await openRoutes({ storage, routes: { get: async () => gone } })
      for (const path of [url, `/media/${medium.tempKey}`]) {
        expect(await problemOf(await get(path)), state).toMatchObject({
          status: 404,
          code: 'not_found',
        })
      }
    }
  })

  it('answers 404 and logs an error if the bytes are lost', async () => {
    const { medium, url } = await openPermanent()
    await editor.storage.remove(medium.key ?? '')
    for (const method of ['GET', 'HEAD']) expect((await get(url, {}, method)).status).toBe(404)
    expect(editor.unexpected).toHaveLength(2)
    expect(String(editor.unexpected[0])).toContain(medium.key)
  })

  it('answers 404 and logs an error if the bytes have the wrong size', async () => {
    const { medium, url } = await openPermanent()
    await editor.storage.remove(medium.key ?? '')
    await editor.storage.write(medium.key ?? '', secret(), { type: 'text/plain' })
    expect((await get(url)).status).toBe(404)
    expect((await get(url, {}, 'HEAD')).status).toBe(404)
    expect((await get(url, { range: 'bytes=0-1' })).status).toBe(404)
    expect(editor.unexpected).toHaveLength(3)
  })

  it('logs nothing if a file is deleted during the request', async () => {
    const { medium, url } = await openPermanent()
    const answers: Medium[] = [medium, { ...medium, state: 'deleted' }]
    await editor.close()
    editor = await openRoutes({ routes: { get: async () => answers.shift() ?? null } })
    expect((await get(url)).status).toBe(404)
    expect(editor.unexpected).toEqual([])
  })
})

async function* secret(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('secret')
}
