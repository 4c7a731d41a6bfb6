import { describe, expect, it } from 'vitest'
import type { UploadResponse } from '../../../markdown-editor-element/src/contract/wire.ts'
import { IMAGES } from '../media/upload/images/image-samples.ts'
import { PNG } from '../media/upload/samples.ts'
import { formWith } from './open-routes.ts'
import { ada, post, UPLOAD, useUploads } from './upload-requests.ts'

const { open, expectRefusal } = useUploads()

describe('POST /md-editor/upload, types and names', () => {
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
      const response = await send(UPLOAD, post(formWith(bytes, filename, sent)), ada)
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

  it('answers 415 to a type that is not allowed, and to bytes of another type (F7)', async () => {
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
      formWith('alert(1)', 'x.json', 'application/json'),
      formWith('<svg/>', 'x', 'application/javascript'),
      formWith('<svg/>', 'x', 'application/xhtml+xml'),
    ]) {
      await expectRefusal(await send(UPLOAD, post(form), ada), 415, 'unsupported_media_type')
    }
  })

  it('uses the extension of the type, and serves the file so that no content executes (F7)', async () => {
    const { send } = await open()
    for (const name of ['evil.php', 'evil.png.html', '.htaccess', 'evil.svg']) {
      const response = await send(UPLOAD, post(formWith(PNG, name)), ada)
      const { url } = (await response.json()) as UploadResponse
      expect(url).toMatch(/-[a-z_]+\.png$/)
      const { headers } = await send(url, {}, ada)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('content-type')).toBe('image/png')
      expect(headers.get('content-security-policy')).toContain('sandbox')
    }
    const text = await send(UPLOAD, post(formWith('a', 'a.html', 'text/plain')), ada)
    const { url } = (await text.json()) as UploadResponse
    const { headers } = await send(url, {}, ada)
    expect(headers.get('content-disposition')).toMatch(/^attachment;.*\.txt/)
  })

  it.each([
    ['an extension of 300 characters', `a.${'b'.repeat(300)}`],
    ['5,000 characters', `${'n'.repeat(5000)}.txt`],
  ])('accepts a name with %s (F29)', async (_what, name) => {
    const { send } = await open()
    const response = await send(UPLOAD, post(formWith('a', name, 'text/plain')), ada)
    expect(response.status).toBe(201)
  })
})
