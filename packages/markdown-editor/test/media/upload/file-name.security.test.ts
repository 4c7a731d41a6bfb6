import { isStorageKey } from '@quillgate/storage'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toDisplayName, toDownloadName, toKeyName } from '../../../src/media/upload/file-name.ts'
import { extensionsOf } from '../../../src/types/media-types.ts'

const png = (sent: string): string => toKeyName(toDisplayName(sent), 'image/png', 'png')

describe('uploaded file names', () => {
  // The name as sent, the display name, and the name in the storage key of a PNG.
  it.each([
    ['photo.png', 'photo.png', 'photo.png'],
    ['A.PNG', 'A.PNG', 'A.png'],
    ['\u200d\u200c', 'file', 'file.png'],
    ['\u00ad', 'file', 'file.png'],
    ['.\u3164\ufe0f.\u2800', 'file', 'file.png'],
    ['\u0646\u200c\u0645.png', '\u0646\u200c\u0645.png', '\u0646_\u0645.png'],
    ['photo', 'photo', 'photo.png'],
    ['photo.jpg', 'photo.jpg', 'photo_jpg.png'],
    ['my holiday (1).png', 'my holiday (1).png', 'my_holiday_1.png'],
    ['shell.php', 'shell.php', 'shell_php.png'],
    ['evil.php.png', 'evil.php.png', 'evil_php.png'],
    ['.htaccess', '.htaccess', 'htaccess.png'],
    ['.png', '.png', 'png.png'],
    ['/etc/passwd.png', 'passwd.png', 'passwd.png'],
    ['../../x.png', 'x.png', 'x.png'],
    ['..\\..\\x.png', 'x.png', 'x.png'],
    ['C:\\Users\\ada\\x.png', 'x.png', 'x.png'],
    ['..%2f..%2fx.png', '..%2f..%2fx.png', '2f_2fx.png'],
    ['....png', '....png', 'file.png'],
    ['..', 'file', 'file.png'],
    ['.', 'file', 'file.png'],
    ['', 'file', 'file.png'],
    ['x.png/', 'file', 'file.png'],
    ['   ', 'file', 'file.png'],
    ['a\0.png', 'a.png', 'a.png'],
    ['a\r\nset-cookie: b.png', 'aset-cookie: b.png', 'aset-cookie_b.png'],
    ['a\u202egnp.exe.png', 'agnp.exe.png', 'agnp_exe.png'],
    ['a\u200b\ufeffb\u{e0041}.png', 'ab.png', 'ab.png'],
    ['a"b.png', 'a"b.png', 'a_b.png'],
    ['a%22b%22.png', 'a"b".png', 'a_b.png'],
    ['a%0D%0Ab.png', 'a  b.png', 'a_b.png'],
    ['a;b.png', 'a;b.png', 'a_b.png'],
    ['a](javascript:alert(1)).png', 'a](javascript:alert(1)).png', 'a_javascript_alert_1.png'],
    [
      '<img src=x onerror=alert(1)>.png',
      '<img src=x onerror=alert(1)>.png',
      'img_src_x_onerror_alert_1.png',
    ],
    ['__proto__', '__proto__', 'proto.png'],
    ['\ud800.png', '\ufffd.png', 'file.png'],
  ])('display %j as %j and store it as %j', (sent, shown, stored) => {
    expect(toDisplayName(sent)).toBe(shown)
    expect(png(sent)).toBe(stored)
  })

  it.each([
    ['фото.png', 'фото.png'],
    ['写真.png', '写真.png'],
    ['صورة.png', 'صورة.png'],
    ['हिन्दी.png', 'हिन्दी.png'],
    ['Größe 2.png', 'Größe_2.png'],
    ['cafe\u0301.png', 'caf\u00e9.png'],
    ['🎉 party.png', 'party.png'],
    ['🎉.png', 'file.png'],
  ])('keep letters of every script: %s (F37)', (sent, stored) => {
    expect(png(sent)).toBe(stored)
  })

  it('are truncated with any extension (F29)', () => {
    expect(png(`aa.${'b'.repeat(250)}`)).toBe(`aa_${'b'.repeat(93)}.png`)
    expect(png(`${'n'.repeat(5000)}.png`)).toHaveLength(100)
    expect(Buffer.byteLength(png('写'.repeat(300)))).toBeLessThanOrEqual(200)
    expect(toDisplayName(`${'n'.repeat(300)}.png`)).toHaveLength(255)
    expect(toDisplayName(`${'n'.repeat(254)}🎉`)).toBe('n'.repeat(254))
  })

  it('never create a key outside its folder', () => {
    const names = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 400 }),
      fc
        .array(
          fc.constantFrom(
            '../',
            '..\\',
            '.',
            '\0',
            '%00',
            'a',
            'ф',
            '写',
            '\u202e',
            '\ud83c',
            '.php',
            ' ',
          ),
          {
            maxLength: 200,
          },
        )
        .map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(
        names,
        fc.constantFrom('image/png', 'text/plain', 'application/gzip', 'image/heic'),
        (sent, type) => {
          const shown = toDisplayName(sent)
          const stored = toKeyName(shown, type, extensionsOf(type)[0] ?? 'heic')
          expect(shown).toMatch(/^[^\p{Cc}/\\\u202a-\u202e\u2066-\u2069]{1,255}$/u)
          expect(isStorageKey(`md-editor/tmp/m${'0'.repeat(26)}-${stored}`)).toBe(true)
          expect(stored.match(/\./g)).toHaveLength(1)
          expect(stored.length).toBeLessThanOrEqual(100)
          expect(Buffer.byteLength(stored)).toBeLessThanOrEqual(200)
        },
      ),
      { numRuns: 500 },
    )
  })
})

describe('toDownloadName', () => {
  it('keeps a name with an extension of its type', () => {
    expect(toDownloadName('My Photo.JPEG', 'image/jpeg', 'tmp/m0-My_Photo.jpg')).toBe(
      'My Photo.JPEG',
    )
    expect(toDownloadName('a.heic', 'image/heic', 'tmp/m0-a.heic')).toBe('a.heic')
  })

  it('adds the extension of the type to any other', () => {
    expect(toDownloadName('run.js', 'text/plain', 'tmp/m0-run_js.txt')).toBe('run.js.txt')
    expect(toDownloadName('page.html', 'application/pdf', 'tmp/m0-page_html.pdf')).toBe(
      'page.html.pdf',
    )
    expect(toDownloadName('photo', 'image/png', 'tmp/m0-photo.png')).toBe('photo.png')
  })
})
