import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UNKNOWN_TYPE } from '../../../../markdown-editor-element/src/contract/upload-types.ts'
import { checkType } from '../../../src/media/upload/check-type.ts'
import { DEFAULT_UPLOAD_TYPES } from '../../../src/types/media-types.ts'
import { PNG, SAMPLES } from './samples.ts'

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.byteLength; start += size)
    yield bytes.subarray(start, start + size)
}

const bytesOf = (content: string | Uint8Array): Uint8Array =>
  typeof content === 'string' ? Buffer.from(content) : content

interface CheckOptions {
  readonly filename?: string
  readonly allowed?: readonly string[]
  readonly pieces?: number
}

async function check(type: string, content: string | Uint8Array, options: CheckOptions = {}) {
  const { filename = 'a', allowed = DEFAULT_UPLOAD_TYPES, pieces = 1000 } = options
  const checked = await checkType(
    { filename, type, body: inPieces(bytesOf(content), pieces) },
    allowed,
  )
  const chunks: Uint8Array[] = []
  for await (const chunk of checked.body) chunks.push(chunk)
  return { type: checked.type, extension: checked.extension, bytes: Buffer.concat(chunks) }
}

const AVIF = Buffer.from('\0\0\0\x1cftypavif\0\0\0\0avifmif1miaf', 'latin1')
const refused = { code: 'unsupported_media_type', status: 415 }

describe('checkType', () => {
  it.each(SAMPLES)(
    'detects the type of %s, and passes on all of its bytes',
    async (type, bytes, extension) => {
      for (const size of [1, 7, 5000]) {
        const checked = await check(type, bytes, { pieces: size })
        expect(checked).toMatchObject({ type, extension })
        expect(checked.bytes.equals(bytes)).toBe(true)
      }
    },
  )

  it('has a sample of every default type', () => {
    expect(SAMPLES.map(([type]) => type).sort()).toEqual([...DEFAULT_UPLOAD_TYPES].sort())
  })

  it('rejects every sample under a type of another kind, and detects its type within its kind (F7)', async () => {
    const mayBeBoth = (declared: string, real: string): boolean =>
      // Office documents are ZIP files, any text is plain text, and MP4 video can be audio.
      [declared, real].every((type) => /zip|openxmlformats/.test(type)) ||
      (/^text/.test(declared) && /^text|json/.test(real)) ||
      (declared === 'audio/mp4' && real === 'video/mp4')
    const kind = (type: string): string =>
      /^image/.test(type) ? 'image' : /^(?:audio|video)/.test(type) ? 'audio or video' : type
    for (const [real, bytes] of SAMPLES) {
      for (const declared of DEFAULT_UPLOAD_TYPES) {
        if (declared === real || mayBeBoth(declared, real)) continue
        const name = `${real} as ${declared}`
        if (kind(real) === kind(declared))
          expect(await check(declared, bytes), name).toMatchObject({ type: real })
        else await expect(check(declared, bytes), name).rejects.toMatchObject(refused)
        await expect(check(declared, bytes, { allowed: [declared] }), name).rejects.toMatchObject(
          refused,
        )
      }
    }
  })

  it.each([
    ['HTML', '<!DOCTYPE html><script>alert(1)</script>'],
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
    ['PHP', '<?php system($_GET[0]);'],
    ['a script', 'alert(1)'],
    ['unknown bytes', '\x00\x01\x02\x03'],
  ])('refuses %s as any type with a signature (F7)', async (_name, content) => {
    for (const type of [
      'image/png',
      'image/gif',
      'video/mp4',
      'audio/mpeg',
      'application/pdf',
      'application/zip',
    ]) {
      await expect(check(type, content)).rejects.toMatchObject(refused)
    }
  })

  it.each([
    ['HTML', '<html><body>x</body></html>'],
    ['HTML after whitespace', ' \r\n\t<HTML>'],
    ['HTML after a byte order mark', '\ufeff<script>alert(1)</script>'],
    ['a comment', '<!-- x --><p>'],
    ['a doctype', '<!doctype html>'],
    ['SVG', '<svg onload=alert(1)>'],
    ['XML', '<?xml version="1.0"?><svg/>'],
    ['PHP', '<?php phpinfo();'],
    ['ASP', '<% x %>'],
    ['PDF', '%PDF-1.4\n1 0 obj'],
    ['PostScript', '%!PS-Adobe'],
    ['RTF', '{\\rtf1 x}'],
    ['a NUL', 'a\0b'],
    ['a NUL after 100 kB', `${'a'.repeat(100_000)}\0`],
    ['an escape sequence with a control character', '\x1bc\x07'],
    ['UTF-16 without a byte order mark', Buffer.from('abc', 'utf16le')],
    ['HTML in UTF-16', Buffer.from('\ufeff <html>', 'utf16le')],
    ['an incomplete UTF-16 character', Buffer.from('\ufeffa\ud800', 'utf16le')],
    ['a NUL in UTF-16', Buffer.from('\ufeffa\0b', 'utf16le')],
    ['UTF-32', Buffer.from('\ufeff\0a\0', 'utf16le')],
    ['an executable', Buffer.from('7f454c460201010000000000', 'hex')],
  ])('refuses %s as text (F7)', async (_what, content) => {
    await expect(check('text/plain', content)).rejects.toMatchObject(refused)
    await expect(check('text/csv', content)).rejects.toMatchObject(refused)
    await expect(check('application/json', content)).rejects.toMatchObject(refused)
  })

  it.each([
    'a < b and c > d',
    '<3',
    '<ada@example.org> wrote:',
    'BM, GIF and MZ are also words',
    'GIF is a format',
    'ID3 is another',
    '# Heading',
    '\ufeffwith a byte order mark',
    '\u001b[31mred\u001b[0m',
    `${'ü'.repeat(5000)}`,
  ])('accepts any other text as text: %j', async (content) => {
    const checked = await check('text/plain', content, { pieces: 3 })
    expect(checked.bytes.toString()).toBe(content)
  })

  it.each([
    ['UTF-16 as Notepad and Excel save it', Buffer.from('\ufeffGrüße;€\r\n', 'utf16le')],
    ['big-endian UTF-16', Buffer.from('\ufeffGrüße', 'utf16le').swap16()],
    ['Windows-1252', Buffer.from('Gr\xfc\xdfe;\x80\r\n', 'latin1')],
    ['Shift JIS', Buffer.from('93fa967b8cea', 'hex')],
  ])('stores text in %s unchanged', async (_what, content) => {
    for (const [type, extension] of [
      ['text/plain', 'txt'],
      ['text/csv', 'csv'],
    ] as const) {
      expect(await check(type, content, { pieces: 3 })).toEqual({ type, extension, bytes: content })
    }
    await expect(check('application/json', content)).rejects.toMatchObject(refused)
  })

  it.each([
    '<div align="center">',
    '<!-- a -->\n# A',
    '<p><img src="a.png">',
    '<h1>A</h1>',
    '<a name="top"></a>',
  ])('stores Markdown that begins with HTML as Markdown: %s', async (content) => {
    const allowed = ['text/markdown', 'text/plain']
    expect(await check('text/markdown', content, { allowed })).toMatchObject({
      type: 'text/markdown',
      extension: 'md',
    })
    await expect(check('text/plain', content, { allowed })).rejects.toMatchObject(refused)
  })

  it.each(['<!doctype html>', '<html>', '<script>', '<?php', '<svg>'])(
    'refuses %s as Markdown',
    async (content) => {
      await expect(
        check('text/markdown', content, { allowed: ['text/markdown'] }),
      ).rejects.toMatchObject(refused)
    },
  )

  it.each([
    ['a blank line', '\r\n'],
    ['a byte order mark', '\ufeff'],
    ['printer commands', '\x1b%-12345X@PJL JOB\r\n'],
    ['mail headers', `Content-Type: application/pdf\r\n${'x'.repeat(900)}\r\n\r\n`],
  ])('accepts a PDF after %s', async (_name, front) => {
    const pdf = `${front}%PDF-1.7\n%âã\n`
    expect(await check('application/pdf', pdf)).toMatchObject({
      type: 'application/pdf',
      extension: 'pdf',
    })
    expect(await check(UNKNOWN_TYPE, pdf, { filename: 'a.PDF' })).toMatchObject({
      type: 'application/pdf',
    })
  })

  it.each([
    ['1,020 other bytes', `${'x'.repeat(1020)}%PDF-1.7`],
    ['HTML', '<html>%PDF-1.7'],
    ['another format', Buffer.concat([PNG, Buffer.from('%PDF-1.7')])],
  ])('does not accept a PDF after %s', async (_name, content) => {
    await expect(
      check('application/pdf', content, { allowed: ['application/pdf'] }),
    ).rejects.toMatchObject(refused)
  })

  it('treats a text about PDF as text', async () => {
    expect(await check('text/plain', 'It begins with %PDF-1.7')).toMatchObject({
      type: 'text/plain',
    })
  })

  it.each([
    ['a WebP declared as a JPEG', 'image/jpeg', 'photo.jpg', 'image/webp'],
    ['a JPEG declared as a HEIC', 'image/heic', 'IMG_1.HEIC', 'image/jpeg'],
    ['a PNG declared as a GIF', 'image/gif', 'a.gif', 'image/png'],
    ['a PNG without a type', UNKNOWN_TYPE, 'a', 'image/png'],
    ['a PNG with an empty type', '', 'a', 'image/png'],
    ['a ZIP without a type', UNKNOWN_TYPE, 'a.zip', 'application/zip'],
    ['a Word document without a type', UNKNOWN_TYPE, 'a.docx', /wordprocessingml/],
    ['a text without a type', UNKNOWN_TYPE, 'a.TXT', 'text/plain'],
    ['Markdown without a type', UNKNOWN_TYPE, 'notes.md', 'text/plain'],
    ['a CSV with the type of Excel', 'application/vnd.ms-excel', 'a.csv', 'text/csv'],
  ])('stores %s under its actual type', async (_name, type, filename, expected) => {
    const [real, bytes, extension] = SAMPLES.find(([sample]) => sample.match(expected)) ?? [
      '',
      PNG,
      '',
    ]
    expect(await check(type, bytes, { filename })).toMatchObject({ type: real, extension })
  })

  it('reports the type of the extension when it rejects that type', async () => {
    const options = { filename: 'README.md', allowed: ['image/png'] }
    await expect(check(UNKNOWN_TYPE, '# A', options)).rejects.toThrow(
      '"text/markdown" are not accepted',
    )
  })

  it('stores Markdown without a type as Markdown if that is allowed', async () => {
    const options = { filename: 'README.md', allowed: ['text/plain', 'text/markdown'] }
    expect(await check(UNKNOWN_TYPE, '# A', options)).toMatchObject({
      type: 'text/markdown',
      extension: 'md',
    })
  })

  it('rejects a file of unknown type, and one whose type is not allowed', async () => {
    await expect(check(UNKNOWN_TYPE, 'text', { filename: 'a.unknown' })).rejects.toThrow(
      'The type of the file cannot be determined from its name or content',
    )
    await expect(check('image/webp', PNG, { allowed: ['application/pdf'] })).rejects.toThrow(
      '"image/webp"',
    )
    await expect(check('image/jpeg', AVIF)).rejects.toThrow('"image/avif" are not accepted')
    await expect(check('image/svg+xml', PNG)).rejects.toThrow('"image/svg+xml" are not accepted')
    await expect(check('text/html', PNG)).rejects.toThrow('"text/html" are not accepted')
  })

  it('accepts only valid JSON as JSON (F7)', async () => {
    for (const content of ['alert(1)', '{"a":', 'nonsense', '{} trailing']) {
      await expect(check('application/json', content)).rejects.toMatchObject(refused)
    }
    for (const content of ['{}', ' [1, 2]\n', '"text"', '12', 'null', '\ufeff{"a":1}'])
      await check('application/json', content)
    await check(
      'application/json',
      JSON.stringify(Array.from({ length: 10_000 }, (_, index) => index)),
    )
    await expect(check('application/json', `alert(${'1'.repeat(10_000)})`)).rejects.toMatchObject(
      refused,
    )
  })

  it('refuses an empty file (F29)', async () => {
    await expect(check('image/png', '')).rejects.toMatchObject({ code: 'empty_file', status: 400 })
    await expect(check('text/plain', '')).rejects.toMatchObject({ code: 'empty_file', status: 400 })
  })

  it('compares types without regard to case, parameters and common aliases', async () => {
    expect(await check('IMAGE/PNG', PNG)).toMatchObject({ type: 'image/png' })
    expect(await check('text/plain; charset=utf-8', 'x')).toMatchObject({ type: 'text/plain' })
    const [, zip] = SAMPLES.find(([type]) => type === 'application/zip') ?? []
    expect(await check('application/x-zip-compressed', zip ?? '')).toMatchObject({
      type: 'application/zip',
    })
  })

  it.each([
    'image/*',
    'image/<b>"',
    'image/svg+xml',
    'text/html',
    'application/x-msdownload',
    'text/<b>"',
    'png',
    'constructor',
  ])('rejects the type %j, which is not allowed, and lists the allowed types', async (type) => {
    await expect(check(type, PNG)).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining('image/png'),
    })
  })

  it('accepts configured types that are known only by their signature', async () => {
    const flif = Buffer.from('FLIF1\0\0\0')
    expect(await check('image/flif', flif, { allowed: ['image/flif'] })).toMatchObject({
      type: 'image/flif',
      extension: 'flif',
    })
  })

  it('accepts or rejects any bytes, and throws no other error', async () => {
    const heads = fc.constantFrom(...SAMPLES.map(([, bytes]) => Buffer.from(bytes)))
    const contents = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 300 }),
      fc
        .tuple(heads, fc.uint8Array({ maxLength: 300 }))
        .map(([head, tail]) => Buffer.concat([head, tail])),
    )
    await fc.assert(
      fc.asyncProperty(contents, fc.constantFrom(...DEFAULT_UPLOAD_TYPES), async (bytes, type) => {
        const result = await check(type, bytes, { pieces: 50 }).catch((error: unknown) => error)
        if (result instanceof Error) expect(result).toMatchObject(refused)
        else
          expect(result).toMatchObject({
            type: expect.toBeOneOf([...DEFAULT_UPLOAD_TYPES]),
            bytes: Buffer.from(bytes),
          })
      }),
      { numRuns: 400 },
    )
  })
})
