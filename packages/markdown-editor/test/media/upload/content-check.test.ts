import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkContent } from '../../../src/media/upload/content-check.ts'
import { DEFAULT_UPLOAD_TYPES } from '../../../src/media/upload/media-types.ts'
import { PNG, SAMPLES } from './samples.ts'

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.byteLength; start += size) yield bytes.subarray(start, start + size)
}

const bytesOf = (content: string | Uint8Array): Uint8Array =>
  typeof content === 'string' ? Buffer.from(content) : content

/** Checks a file and reads it to its end. */
async function check(type: string, content: string | Uint8Array, allowed = DEFAULT_UPLOAD_TYPES, pieces = 1000) {
  const checked = await checkContent(type, inPieces(bytesOf(content), pieces), allowed)
  const chunks: Uint8Array[] = []
  for await (const chunk of checked.body) chunks.push(chunk)
  return { type: checked.type, extension: checked.extension, bytes: Buffer.concat(chunks) }
}

const refused = { code: 'unsupported_media_type', status: 415 }

describe('checkContent', () => {
  it.each(SAMPLES)('takes %s for what it is, and passes all of its bytes on', async (type, bytes, extension) => {
    for (const size of [1, 7, 5000]) {
      const checked = await check(type, bytes, DEFAULT_UPLOAD_TYPES, size)
      expect(checked).toMatchObject({ type, extension })
      expect(checked.bytes.equals(bytes)).toBe(true)
    }
  })

  it('has a sample of every type that is allowed by default', () => {
    expect(SAMPLES.map(([type]) => type).sort()).toEqual([...DEFAULT_UPLOAD_TYPES].sort())
  })

  it('F7: refuses every sample under a type that it is not', async () => {
    const mayPass = (declared: string, real: string): boolean =>
      // Office documents are ZIP files, and any text is plain text.
      [declared, real].every((type) => /zip|openxmlformats/.test(type)) ||
      (/^text/.test(declared) && /^text|json/.test(real))
    for (const [real, bytes] of SAMPLES) {
      for (const declared of DEFAULT_UPLOAD_TYPES) {
        if (declared === real || mayPass(declared, real) || (declared === 'audio/mp4' && real === 'video/mp4')) continue
        await expect(check(declared, bytes), `${real} as ${declared}`).rejects.toMatchObject(refused)
      }
    }
  })

  it.each([
    ['HTML', '<!DOCTYPE html><script>alert(1)</script>'],
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
    ['PHP', '<?php system($_GET[0]);'],
    ['a script', 'alert(1)'],
    ['nothing known', '\x00\x01\x02\x03'],
  ])('F7: refuses %s as any type with a signature', async (_what, content) => {
    for (const type of ['image/png', 'image/gif', 'video/mp4', 'audio/mpeg', 'application/pdf', 'application/zip']) {
      await expect(check(type, content)).rejects.toMatchObject(refused)
    }
  })

  it.each([
    ['HTML', '<html><body>x</body></html>'],
    ['HTML after blanks', ' \r\n\t<HTML>'],
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
    ['a NUL far behind', `${'a'.repeat(100_000)}\0`],
    ['an escape sequence that is no text', '\x1bc\x07'],
    ['bytes that are no UTF-8', Buffer.from('Gr\xfc\xdfe', 'latin1')],
    ['half a character at the end', Buffer.from('Grüße').subarray(0, 3)],
    ['UTF-16', Buffer.from('\ufeffabc', 'utf16le')],
    ['a program', Buffer.from('7f454c460201010000000000', 'hex')],
  ])('F7: refuses %s as text', async (_what, content) => {
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
  ])('takes any other text for text: %j', async (content) => {
    const checked = await check('text/plain', content, DEFAULT_UPLOAD_TYPES, 3)
    expect(checked.bytes.toString()).toBe(content)
  })

  it('F7: reads JSON before it calls it JSON', async () => {
    for (const content of ['alert(1)', '{"a":', 'nonsense', '{} trailing']) {
      await expect(check('application/json', content)).rejects.toMatchObject(refused)
    }
    for (const content of ['{}', ' [1, 2]\n', '"text"', '12', 'null', '\ufeff{"a":1}'])
      await check('application/json', content)
    await check('application/json', JSON.stringify(Array.from({ length: 10_000 }, (_, index) => index)))
    await expect(check('application/json', `alert(${'1'.repeat(10_000)})`)).rejects.toMatchObject(refused)
  })

  it('F29: refuses an empty file', async () => {
    await expect(check('image/png', '')).rejects.toMatchObject({ code: 'empty_file', status: 400 })
    await expect(check('text/plain', '')).rejects.toMatchObject({ code: 'empty_file', status: 400 })
  })

  it('compares types without regard to case, parameters and common aliases', async () => {
    expect(await check('IMAGE/PNG', PNG)).toMatchObject({ type: 'image/png' })
    expect(await check('text/plain; charset=utf-8', 'x')).toMatchObject({ type: 'text/plain' })
    const [, zip] = SAMPLES.find(([type]) => type === 'application/zip') ?? []
    expect(await check('application/x-zip-compressed', zip ?? '')).toMatchObject({ type: 'application/zip' })
  })

  it.each([
    '',
    'image/*',
    '*/*',
    'image/svg+xml',
    'text/html',
    'application/octet-stream',
    'image/<b>"',
    'png',
    'constructor',
  ])('refuses the type %j, which is not allowed, and says which are', async (type) => {
    await expect(check(type, PNG)).rejects.toMatchObject({ ...refused, message: expect.stringContaining('image/png') })
  })

  it('may be allowed types that it knows only by their signature', async () => {
    const flif = Buffer.from('FLIF1\0\0\0')
    expect(await check('image/flif', flif, ['image/flif'])).toMatchObject({ type: 'image/flif', extension: 'flif' })
  })

  it('takes or refuses any bytes, and does nothing else', async () => {
    const heads = fc.constantFrom(...SAMPLES.map(([, bytes]) => Buffer.from(bytes)))
    const contents = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 300 }),
      fc.tuple(heads, fc.uint8Array({ maxLength: 300 })).map(([head, tail]) => Buffer.concat([head, tail])),
    )
    await fc.assert(
      fc.asyncProperty(contents, fc.constantFrom(...DEFAULT_UPLOAD_TYPES), async (bytes, type) => {
        const result = await check(type, bytes, DEFAULT_UPLOAD_TYPES, 50).catch((error: unknown) => error)
        if (result instanceof Error) expect(result).toMatchObject(refused)
        else expect(result).toMatchObject({ type, bytes: Buffer.from(bytes) })
      }),
      { numRuns: 400 },
    )
  })
})
