import type { SignedUrlOptions, Storage } from '@quillgate/storage'
import { memoryStorage } from '@quillgate/storage/testing'
import { afterEach, describe, expect, it } from 'vitest'
import type { Medium } from '../../src/media/ledger/medium.ts'
import { createEditor } from '../create-editor.ts'
import { PNG } from '../media/upload/samples.ts'
import { type OpenOptions, type OpenRoutes, openRoutes } from './open-routes.ts'
import { promoteFile, uploadFile } from './stored-files.ts'

let editor: OpenRoutes
afterEach(() => editor?.close())

const get = (
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<Response> => editor.send(path, { method, headers }, { csrf: 'none' })

function signingStorage(): Storage & { readonly signed: [string, SignedUrlOptions][] } {
  const signed: [string, SignedUrlOptions][] = []
  return Object.assign(memoryStorage(), {
    signed,
    async signedUrl(key: string, options: SignedUrlOptions) {
      signed.push([key, options])
      return `https://bucket.example/${encodeURI(key)}?signature=x`
    },
  })
}

describe("delivery: 'redirect'", () => {
  const storage = signingStorage()
  const open = async (options: OpenOptions['routes'] = {}): Promise<void> => {
    storage.signed.length = 0
    editor = await openRoutes({ storage, routes: { delivery: 'redirect', ...options } })
  }
  const permanent = async (
    bytes: Uint8Array | string,
    name: string,
    type: string,
  ): Promise<Medium> => promoteFile(editor, await uploadFile(editor, bytes, name, type))

  it('redirects to a storage URL that expires later than the cached redirect', async () => {
    await open()
    const { key } = await permanent(PNG, 'фото.png', 'image/png')
    const response = await get(`/media/${key}`)
    expect(response.status).toBe(302)
    expect(Object.fromEntries(response.headers)).toEqual({
      location: `https://bucket.example/${encodeURI(key ?? '')}?signature=x`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, max-age=240',
      'cross-origin-resource-policy': 'cross-origin',
      'referrer-policy': 'no-referrer',
    })
    const disposition = `inline; filename="____.png"; filename*=UTF-8''%D1%84%D0%BE%D1%82%D0%BE.png`
    expect(storage.signed).toEqual([[key, { expiresIn: 300, type: 'image/png', disposition }]])
  })

  it('serves text as an attachment, and signs video URLs for hours', async () => {
    await open()
    const text = await permanent('0123', 'a.txt', 'text/plain')
    const film = await permanent(
      '\0\0\0\x20ftypisom\0\0\x02\0isomiso2avc1mp41',
      'a.mp4',
      'video/mp4',
    )
    for (const { key } of [text, film])
      expect((await get(`/media/${key}`, { range: 'bytes=1-' })).status).toBe(302)
    expect(storage.signed.map(([, options]) => options)).toEqual([
      {
        expiresIn: 300,
        type: 'text/plain',
        disposition: `attachment; filename="a.txt"; filename*=UTF-8''a.txt`,
      },
      {
        expiresIn: 10_800,
        type: 'video/mp4',
        disposition: `inline; filename="a.mp4"; filename*=UTF-8''a.mp4`,
      },
    ])
  })

  it('answers HEAD and conditional requests without a redirect', async () => {
    await open()
    const { key, checksum } = await permanent('0123', 'a.txt', 'text/plain')
    const head = await get(`/media/${key}`, {}, 'HEAD')
    expect([head.status, head.headers.get('etag'), head.headers.get('content-length')]).toEqual([
      200,
      `"${checksum}"`,
      '4',
    ])
    expect((await get(`/media/${key}`, { 'if-none-match': `"${checksum}"` })).status).toBe(304)
    expect((await get(`/media/${key}`, { 'if-match': '"x"' })).status).toBe(412)
    expect(storage.signed).toEqual([])
  })

  it('streams temporary files instead of redirecting', async () => {
    await open()
    const medium = await uploadFile(editor, '0123', 'a.txt', 'text/plain')
    const response = await get(`/media/${medium.tempKey}`)
    expect([response.status, await response.text()]).toEqual([200, '0123'])
    const { key, tempKey } = await promoteFile(editor, medium)
    expect((await get(`/media/${tempKey}`)).headers.get('location')).toBe(`/media/${key}`)
    expect(storage.signed).toEqual([])
  })

  it('signs nothing before authorize allows it, and disables caching', async () => {
    await open({ authorize: (user, { owner }) => `user:${user?.id}` === owner })
    const { key } = await permanent('0123', 'a.txt', 'text/plain')
    expect((await get(`/media/${key}`)).status).toBe(404)
    expect((await editor.send(`/media/${key}`, {}, { user: 'grace', csrf: 'none' })).status).toBe(
      404,
    )
    expect(storage.signed).toEqual([])
    const response = await editor.send(`/media/${key}`, {}, { user: 'ada', csrf: 'none' })
    expect(response.status).toBe(302)
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    expect(response.headers.get('cross-origin-resource-policy')).toBe('same-site')
  })

  it('is rejected at start if the storage cannot sign URLs', () => {
    const secret = 'a secret of at least thirty-two bytes'
    const options = {
      secret,
      database: 'sqlite::memory:',
      storage: memoryStorage(),
      authenticate: () => null,
    }
    const made = (delivery: unknown): unknown =>
      createEditor({ ...options, delivery: delivery as 'stream' })
    expect(() => made('redirect')).toThrow(
      'storage must be able to sign URLs if delivery is "redirect"',
    )
    expect(() => made('rediect')).toThrow('delivery must be "stream" or "redirect" (got "rediect")')
    expect(() => made('stream')).not.toThrow()
  })
})
