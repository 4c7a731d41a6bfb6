import { createHash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { ValidationError } from '@quillgate/markdown-editor'
import { createFakeClock } from '@quillgate/server/testing'
import type { Storage } from '@quillgate/storage'
import { memoryStorage } from '@quillgate/storage/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { MediaLedger } from '../../../src/media/ledger/media-ledger.ts'
import type { Medium, NewMedium } from '../../../src/media/ledger/medium.ts'
import type { Principal } from '../../../src/media/ledger/principal.ts'
import type { IncomingFile } from '../../../src/media/upload/check-type.ts'
import { type ReceivedUpload, receiveUpload } from '../../../src/media/upload/receive-upload.ts'
import {
  BaseUploadHandler,
  DefaultUploadHandler,
  type UploadContext,
  type UploadedFile,
} from '../../../src/media/upload/upload-handler.ts'
import type { UploadServices } from '../../../src/media/upload/upload-services.ts'
import { resolveSettings, type SettingsInput } from '../../../src/settings.ts'
import { handlerWith } from '../../editor-fixture.ts'
import { bareExif, exif, exifSegment, IMAGES, jpegWith } from './images/image-samples.ts'
import { openLedger, withMethods } from './open-ledger.ts'
import { PNG } from './samples.ts'

const ada = { owner: 'user:1', user: { id: 1 } }
const clock = createFakeClock()

let storage: Storage
let ledger: MediaLedger
let close: () => Promise<void>
let ids: string[]
let unexpected: unknown[]

beforeEach(async () => {
  storage = memoryStorage()
  ;({ ledger, close } = await openLedger())
  ids = []
  unexpected = []
})

afterEach(() => close())

function open(
  options: Partial<Pick<UploadServices, 'storage' | 'ledger' | 'handler'>> & {
    ownerQuota?: number | null
    settings?: SettingsInput
  } = {},
): { receive(file: IncomingFile, by: Principal): Promise<ReceivedUpload> } {
  const { ownerQuota = null, settings, ...rest } = options
  const recorded = options.ledger ?? ledger
  const services: UploadServices = {
    settings: resolveSettings({ tempUploadPath: 'tmp/', ownerQuota, ...settings }),
    storage,
    handler: new DefaultUploadHandler(),
    urls: { build: (key) => `/media/${key}` },
    clock,
    logger: { warn: () => {}, error: (_message, error) => void unexpected.push(error) },
    ...rest,
    ledger: withMethods(recorded, {
      begin: (medium) => {
        ids.push(medium.id)
        return recorded.begin(medium)
      },
    }),
  }
  return { receive: (file, by) => receiveUpload(services, file, by) }
}

async function* chunks(...parts: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield typeof part === 'string' ? Buffer.from(part) : part
}

const png = () => ({ filename: 'photo.png', type: 'image/png', body: chunks(PNG) })
const text = (length: number) => ({
  filename: 'a.txt',
  type: 'text/plain',
  body: chunks('x'.repeat(length)),
})

async function storedKeys(): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of storage.list('tmp/')) keys.push(key)
  return keys
}

const states = async (): Promise<(Medium['state'] | undefined)[]> =>
  Promise.all(ids.map(async (id) => (await ledger.get(id))?.state))

async function expectNothingLeft(): Promise<void> {
  expect(await storedKeys()).toEqual([])
  expect((await states()).filter((state) => state !== undefined)).toEqual([])
  expect(unexpected).toEqual([])
}

describe('receiveUpload', () => {
  it('stores a file as uploading, and makes it temporary when it is accepted', async () => {
    const upload = await open().receive(png(), ada)
    expect(await ledger.get(ids[0] ?? '')).toMatchObject({
      state: 'uploading',
      owner: 'user:1',
      size: null,
    })
    const answer = await upload.accept()
    const key = `tmp/${ids[0]}-photo.png`
    expect(answer).toEqual({
      url: `/media/tmp/${ids[0]}-1x1-photo.png`,
      name: 'photo.png',
      type: 'image/png',
      width: 1,
      height: 1,
    })
    expect(await ledger.get(ids[0] ?? '')).toMatchObject({
      state: 'temporary',
      size: PNG.byteLength,
      checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
      tempKey: key,
      createdAt: clock(),
    })
    expect(await storedKeys()).toEqual([key])
  })

  it('returns different URLs for two files of the same name', async () => {
    const uploads = open()
    const first = await (await uploads.receive(png(), ada)).accept()
    const second = await (await uploads.receive(png(), ada)).accept()
    expect(first.url).not.toBe(second.url)
    expect(await storedKeys()).toHaveLength(2)
  })

  it('leaves nothing behind when a file is discarded', async () => {
    const upload = await open().receive(png(), ada)
    await upload.discard()
    await expectNothingLeft()
  })

  it('leaves nothing behind when the body fails, and passes on its error', async () => {
    const body = (async function* () {
      yield PNG
      yield Buffer.alloc(10_000)
      throw new Error('the client went away')
    })()
    await expect(open().receive({ ...png(), body }, ada)).rejects.toThrow('the client went away')
    expect(ids).toHaveLength(1)
    await expectNothingLeft()
  })

  it('leaves nothing behind when a text contains a NUL after its beginning', async () => {
    const body = chunks('a'.repeat(10_000), '\0')
    await expect(
      open().receive({ filename: 'a.txt', type: 'text/plain', body }, ada),
    ).rejects.toMatchObject({
      code: 'unsupported_media_type',
    })
    await expectNothingLeft()
  })

  it('records nothing for a file that it rejects', async () => {
    await expect(open().receive({ ...png(), type: 'text/html' }, ada)).rejects.toMatchObject({
      status: 415,
    })
    await expect(open().receive({ ...png(), body: chunks() }, ada)).rejects.toMatchObject({
      code: 'empty_file',
    })
    expect(ids).toEqual([])
  })

  it('leaves nothing behind when the storage fails', async () => {
    const failing = {
      ...memoryStorage(),
      write: () => Promise.reject(new Error('disk full')),
      remove: async () => false,
    }
    await expect(
      open({ storage: failing as unknown as Storage }).receive(png(), ada),
    ).rejects.toThrow('disk full')
    await expectNothingLeft()
  })

  it('logs bytes that cannot be removed, keeps their row for the sweep, and throws the original error', async () => {
    const stubborn = {
      write: storage.write.bind(storage),
      read: storage.read.bind(storage),
      remove: () => Promise.reject(new Error('cannot remove')),
    } as unknown as Storage
    const validate = (): void => {
      throw new ValidationError('There is a virus in it.')
    }
    const handler = handlerWith({ validate })
    const upload = await open({ storage: stubborn, handler }).receive(png(), ada)
    await expect(upload.accept()).rejects.toThrow('There is a virus in it.')
    expect(unexpected).toEqual([new Error('cannot remove')])
    expect(await states()).toEqual(['deleting'])
  })

  it('keeps the bytes of a temporary file if the response of the database was lost', async () => {
    const lossy = withMethods(ledger, {
      async complete(...args) {
        await ledger.complete(...args)
        throw new Error('connection lost')
      },
    })
    const upload = await open({ ledger: lossy }).receive(png(), ada)
    await expect(upload.accept()).rejects.toThrow('connection lost')
    expect(await states()).toEqual(['temporary'])
    expect(await storedKeys()).toHaveLength(1)
  })

  it('throws if the sweep has removed the upload in the meantime', async () => {
    const upload = await open().receive(png(), ada)
    await ledger.giveUp(ids[0] ?? '', 'uploading', clock())
    await expect(upload.accept()).rejects.toMatchObject({ code: 'upload_interrupted', status: 503 })
    await expectNothingLeft()
  })
})

describe('upload handlers', () => {
  it('receive the file, and can reject it so that nothing remains', async () => {
    const seen: unknown[] = []
    class Picky extends DefaultUploadHandler {
      override async validate(file: UploadedFile): Promise<void> {
        const bytes = await new Response(file.stream()).arrayBuffer()
        const again = await new Response(file.stream()).arrayBuffer()
        seen.push([file.name, file.type, file.size, bytes.byteLength, again.byteLength])
        throw new ValidationError('Pictures have at most 50 bytes.')
      }
    }
    const upload = await open({ handler: new Picky() }).receive(png(), ada)
    await expect(upload.accept()).rejects.toMatchObject({ code: 'validation_error', status: 422 })
    expect(seen).toEqual([
      ['photo.png', 'image/png', PNG.byteLength, PNG.byteLength, PNG.byteLength],
    ])
    await expectNothingLeft()
  })

  it('validate before they save', async () => {
    const order: string[] = []
    class Recording extends DefaultUploadHandler {
      override validate(): void {
        order.push('validate')
      }
      override save(file: UploadedFile, context: UploadContext): Promise<string> {
        order.push(`save for ${context.owner}`)
        return super.save(file, context)
      }
    }
    const uploads = open({ handler: new Recording() })
    await (await uploads.receive(png(), ada)).accept()
    expect(order).toEqual(['validate', 'save for user:1'])
    expect(await states()).toEqual(['temporary'])
  })

  it('F27: can store files elsewhere without finalize', async () => {
    const elsewhere = new Map<string, string>()
    class Elsewhere extends BaseUploadHandler {
      async save(file: UploadedFile): Promise<string> {
        elsewhere.set(file.name, await new Response(file.stream()).text())
        return `https://files.example.com/${file.name}`
      }
    }
    const upload = await open({ handler: new Elsewhere() }).receive(text(5), ada)
    expect(await upload.accept()).toMatchObject({ url: 'https://files.example.com/a.txt' })
    expect([...elsewhere]).toEqual([['a.txt', 'xxxxx']])
    await expectNothingLeft()
  })

  it('that throw in save leave nothing behind, even after keep', async () => {
    class Failing extends DefaultUploadHandler {
      override async save(file: UploadedFile, context: UploadContext): Promise<string> {
        await super.save(file, context)
        throw new Error('the index is down')
      }
    }
    const upload = await open({ handler: new Failing() }).receive(png(), ada)
    await expect(upload.accept()).rejects.toThrow('the index is down')
    await expectNothingLeft()
  })
})

describe('an image', () => {
  const photo = jpegWith(IMAGES.jpeg, exifSegment(exif(6)))
  const cleaned = jpegWith(IMAGES.jpeg, exifSegment(bareExif(6)))
  const file = () => ({ filename: 'photo.jpg', type: 'image/jpeg', body: chunks(photo) })
  const stored = async (): Promise<Buffer> => {
    const [key = ''] = await storedKeys()
    return Buffer.from(await new Response((await storage.read(key))?.body).arrayBuffer())
  }

  it('is stored without metadata, and has its displayed size in ledger, response and handler', async () => {
    const seen: UploadedFile[] = []
    class Looking extends DefaultUploadHandler {
      override validate(given: UploadedFile): void {
        seen.push(given)
      }
    }
    const answer = await (await open({ handler: new Looking() }).receive(file(), ada)).accept()
    const size = { width: 16, height: 24 }
    expect(answer).toMatchObject(size)
    expect(seen).toMatchObject([{ ...size, size: cleaned.byteLength }])
    expect(await stored()).toEqual(cleaned)
    expect(await ledger.get(ids[0] ?? '')).toMatchObject({
      ...size,
      size: cleaned.byteLength,
      checksum: createHash('sha256').update(cleaned).digest('hex'),
    })
  })

  it('with too many pixels is rejected, and leaves nothing behind', async () => {
    const huge = Buffer.from(photo)
    const header = huge.indexOf(Buffer.from('ffc0', 'hex'))
    huge.writeUInt16BE(10_000, header + 5)
    huge.writeUInt16BE(10_000, header + 7)
    await expect(open().receive({ ...file(), body: chunks(huge) }, ada)).rejects.toMatchObject({
      code: 'validation_error',
      status: 422,
    })
    await expectNothingLeft()
  })

  it('that is damaged is rejected, and leaves nothing behind', async () => {
    const body = chunks(jpegWith(IMAGES.jpeg, Buffer.from('fff7', 'hex')))
    await expect(open().receive({ ...file(), body }, ada)).rejects.toMatchObject({
      code: 'unsupported_media_type',
    })
    await expectNothingLeft()
  })

  it('counts towards the quota with its stored size, not its sent size', async () => {
    const uploads = open({ ownerQuota: cleaned.byteLength })
    const body = chunks(photo, Buffer.alloc(1000))
    await (await uploads.receive({ ...file(), body }, ada)).accept()
    expect(await ledger.usage('user:1')).toBe(cleaned.byteLength)
  })

  it('is the only kind of file with width and height', async () => {
    expect(await (await open().receive(text(5), ada)).accept()).not.toHaveProperty('width')
    expect(await ledger.get(ids[0] ?? '')).toMatchObject({ width: null, height: null })
  })
})

describe('ownerQuota', () => {
  const exceeded = { code: 'quota_exceeded', status: 413 }

  it('counts all files of one owner, and no other files', async () => {
    const uploads = open({ ownerQuota: 100 })
    await (await uploads.receive(text(60), ada)).accept()
    await expect(uploads.receive(text(41), ada)).rejects.toMatchObject(exceeded)
    await (await uploads.receive(text(40), ada)).accept()
    await expect(uploads.receive(text(1), ada)).rejects.toMatchObject(exceeded)
    await (await uploads.receive(text(100), { owner: 'user:2', user: { id: 2 } })).accept()
    expect(await ledger.usage('user:1')).toBe(100)
    expect(await storedKeys()).toHaveLength(3)
  })

  it('leaves no row when it is used up, like other early rejections', async () => {
    const begun: unknown[] = []
    const recording = withMethods(ledger, {
      begin: (medium: NewMedium) => ledger.begin(medium).then(() => void begun.push(medium)),
    })
    const uploads = open({ ownerQuota: 10, ledger: recording })
    await (await uploads.receive(text(10), ada)).accept()
    expect(begun).toHaveLength(1)
    await expect(uploads.receive(text(1), ada)).rejects.toMatchObject(exceeded)
    await expect(uploads.receive({ ...png(), type: 'text/html' }, ada)).rejects.toMatchObject({
      status: 415,
    })
    await expect(
      uploads.receive({ ...png(), body: chunks('no image') }, ada),
    ).rejects.toMatchObject({ status: 415 })
    await expect(uploads.receive({ ...png(), body: chunks() }, ada)).rejects.toMatchObject({
      code: 'empty_file',
    })
    expect(begun).toHaveLength(1)
  })

  it('stops reading at the remaining bytes', async () => {
    let taken = 0
    const endless = (async function* () {
      for (;;) {
        taken++
        yield Buffer.alloc(1000, 'x')
      }
    })()
    await expect(
      open({ ownerQuota: 20_000 }).receive(
        { filename: 'a.txt', type: 'text/plain', body: endless },
        ada,
      ),
    ).rejects.toMatchObject(exceeded)
    expect(taken).toBe(21)
    await expectNothingLeft()
  })

  it('applies to concurrent uploads', async () => {
    const uploads = open({
      ownerQuota: 100,
      handler: handlerWith({ validate: async () => void (await setTimeout(5)) }),
    })
    const results = await Promise.allSettled(
      Array.from({ length: 5 }, async () => (await uploads.receive(text(40), ada)).accept()),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject(exceeded)
    }
    expect(await ledger.usage('user:1')).toBe(80)
    expect(await storedKeys()).toHaveLength(2)
  })
})
