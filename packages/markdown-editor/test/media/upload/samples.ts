import { IMAGES } from './images/image-samples.ts'

const latin1 = (text: string): Uint8Array => Buffer.from(text, 'latin1')
const base64 = (text: string): Uint8Array => Buffer.from(text, 'base64')
const zipEntry = (name: string): Uint8Array => {
  const header = Buffer.alloc(30)
  header.write('PK\x03\x04', 'latin1')
  header.writeUInt16LE(20, 4)
  header.writeUInt16LE(name.length, 26)
  return Buffer.concat([header, Buffer.from(name)])
}
const tar = (): Uint8Array => {
  const header = Buffer.alloc(512)
  header.write('hello.txt')
  header.write('0000644\0', 100)
  header.write('00000000000\0', 124)
  header.write('ustar\0' + '00', 257)
  header.fill(' ', 148, 156)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return Buffer.concat([header, Buffer.alloc(1024)])
}
const ogg = (codec: string): Uint8Array =>
  latin1(`OggS\0\x02${'\0'.repeat(8)}\x01\0\0\0${'\0'.repeat(8)}\x01\x1e${codec}${'\0'.repeat(40)}`)

export const PNG: Uint8Array = base64(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
)

/** Small files whose first bytes identify their type, with the extension of the stored file. */
export const SAMPLES: readonly (readonly [type: string, bytes: Uint8Array, extension: string])[] = [
  ['image/png', PNG, 'png'],
  ['image/gif', IMAGES.gif, 'gif'],
  ['image/jpeg', IMAGES.jpeg, 'jpg'],
  ['image/webp', IMAGES.lossyWebp, 'webp'],
  ['video/mp4', latin1('\0\0\0\x20ftypisom\0\0\x02\0isomiso2avc1mp41'), 'mp4'],
  [
    'video/webm',
    Buffer.from(
      '1a45dfa39f4286810142f7810142f2810442f381084282847765626d42878104428581021853',
      'hex',
    ),
    'webm',
  ],
  ['video/ogg', ogg('\x80theora'), 'ogv'],
  ['audio/mpeg', latin1('ID3\x04\0\0\0\0\0\0\xff\xfb\x90\x64'), 'mp3'],
  ['audio/mp4', latin1('\0\0\0\x20ftypM4A \0\0\x02\0isomiso2'), 'm4a'],
  ['audio/ogg', ogg('OpusHead'), 'ogg'],
  ['audio/wav', latin1('RIFF\x24\0\0\0WAVEfmt '), 'wav'],
  ['application/pdf', latin1('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n'), 'pdf'],
  ['application/zip', zipEntry('hello.txt'), 'zip'],
  ['application/x-tar', tar(), 'tar'],
  ['application/gzip', base64('H4sIAAAAAAAAA8tIzcnJBwCGphA2BQAAAA=='), 'gz'],
  ['text/plain', Buffer.from('Grüße\n'), 'txt'],
  ['text/csv', latin1('a,b\n1,2\n'), 'csv'],
  ['application/json', latin1('{"a":1}'), 'json'],
  [
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    zipEntry('word/document.xml'),
    'docx',
  ],
  [
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    zipEntry('xl/workbook.xml'),
    'xlsx',
  ],
  [
    'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    zipEntry('ppt/presentation.xml'),
    'pptx',
  ],
]
