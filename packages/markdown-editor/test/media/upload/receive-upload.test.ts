import { createHash } from 'node:crypto'
import { ValidationError } from '@quillgate/markdown-editor'
import { memoryStorage } from '@quillgate/storage/testing'
import { describe, expect, it } from 'vitest'
import {
  DefaultUploadHandler,
  type UploadedFile,
} from '../../../src/media/upload/upload-handler.ts'
import { handlerWith } from '../../editor-fixture.ts'
import { bareExif, exif, exifSegment, IMAGES, jpegWith } from './images/image-samples.ts'
import { chunks, png, text, useReceivers } from './receive-fixture.ts'
import { PNG } from './samples.ts'

const { open } = useReceivers()

describe('receiveUpload', () => {
  it('stores a file as uploading, and makes it temporary when it is accepted', async () => {
    const { receive, ledger, ids, clock, storedKeys } = await open()
    const upload = await receive(png())
    const [id = ''] = ids
    expect(await ledger.get(id)).toMatchObject({ state: 'uploading', owner: 'user:1', size: null })
    expect(await upload.accept()).toEqual({
      url: `/media/tmp/${id}-1x1-photo.png`,
      name: 'photo.png',
      type: 'image/png',
      width: 1,
      height: 1,
    })
    const key = `tmp/${id}-photo.png`
    expect(await ledger.get(id)).toMatchObject({
      state: 'temporary',
      size: PNG.byteLength,
      checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
      tempKey: key,
      createdAt: clock(),
    })
    expect(await storedKeys()).toEqual([key])
  })

  it('returns different URLs for two files of the same name', async () => {
    const { receive, storedKeys } = await open()
    const first = await (await receive(png())).accept()
    const second = await (await receive(png())).accept()
    expect(first.url).not.toBe(second.url)
    expect(await storedKeys()).toHaveLength(2)
  })

  it('leaves nothing behind when a file is discarded', async () => {
    const { receive, expectNothingLeft } = await open()
    const upload = await receive(png())
    await upload.discard()
    await expectNothingLeft()
  })

  it('leaves nothing behind when the body fails, and passes on its error', async () => {
    const { receive, ids, expectNothingLeft } = await open()
    const body = (async function* () {
      yield PNG
      yield Buffer.alloc(10_000)
      throw new Error('the client went away')
    })()
    await expect(receive({ ...png(), body })).rejects.toThrow('the client went away')
    expect(ids).toHaveLength(1)
    await expectNothingLeft()
  })

  it('leaves nothing behind when a text contains a NUL after its beginning', async () => {
    const { receive, expectNothingLeft } = await open()
    const body = chunks('a'.repeat(10_000), '\0')
    await expect(receive({ ...text(0), body })).rejects.toMatchObject({
      code: 'unsupported_media_type',
    })
    await expectNothingLeft()
  })

  it('records nothing for a file that it rejects', async () => {
    const { receive, ids } = await open()
    await expect(receive({ ...png(), type: 'text/html' })).rejects.toMatchObject({ status: 415 })
    await expect(receive({ ...png(), body: chunks() })).rejects.toMatchObject({
      code: 'empty_file',
    })
    expect(ids).toEqual([])
  })

  it('leaves nothing behind when the storage fails', async () => {
    const storage = memoryStorage()
    storage.write = () => Promise.reject(new Error('disk full'))
    const { receive, expectNothingLeft } = await open({ storage })
    await expect(receive(png())).rejects.toThrow('disk full')
    await expectNothingLeft()
  })

  it('logs bytes that cannot be removed, keeps their row for the sweep, and throws the original error', async () => {
    const storage = memoryStorage()
    storage.remove = () => Promise.reject(new Error('cannot remove'))
    const handler = handlerWith({
      validate: () => {
        throw new ValidationError('There is a virus in it.')
      },
    })
    const { receive, unexpected, states } = await open({ storage, handler })
    const upload = await receive(png())
    await expect(upload.accept()).rejects.toThrow('There is a virus in it.')
    expect(unexpected).toEqual([new Error('cannot remove')])
    expect(await states()).toEqual(['deleting'])
  })

  it('keeps the bytes of a temporary file if the response of the database was lost', async () => {
    const { receive, states, storedKeys } = await open({
      methods: (ledger) => ({
        async complete(...args) {
          await ledger.complete(...args)
          throw new Error('connection lost')
        },
      }),
    })
    const upload = await receive(png())
    await expect(upload.accept()).rejects.toThrow('connection lost')
    expect(await states()).toEqual(['temporary'])
    expect(await storedKeys()).toHaveLength(1)
  })

  it('throws if the sweep has removed the upload in the meantime', async () => {
    const { receive, ledger, ids, clock, expectNothingLeft } = await open()
    const upload = await receive(png())
    await ledger.giveUp(ids[0] ?? '', 'uploading', clock())
    await expect(upload.accept()).rejects.toMatchObject({ code: 'upload_interrupted', status: 503 })
    await expectNothingLeft()
  })
})

describe('receiveUpload with an image', () => {
  const photo = jpegWith(IMAGES.jpeg, exifSegment(exif(6)))
  const cleaned = jpegWith(IMAGES.jpeg, exifSegment(bareExif(6)))
  const jpeg = (...parts: Uint8Array[]) => ({
    filename: 'photo.jpg',
    type: 'image/jpeg',
    body: chunks(...parts),
  })

  it('stores it without metadata, and records its displayed size in ledger, response and handler', async () => {
    const seen: UploadedFile[] = []
    class Looking extends DefaultUploadHandler {
      override validate(given: UploadedFile): void {
        seen.push(given)
      }
    }
    const { receive, storage, ledger, ids, storedKeys } = await open({ handler: new Looking() })
    const answer = await (await receive(jpeg(photo))).accept()
    const size = { width: 16, height: 24 }
    expect(answer).toMatchObject(size)
    expect(seen).toMatchObject([{ ...size, size: cleaned.byteLength }])
    const [key = ''] = await storedKeys()
    const stored = await new Response((await storage.read(key))?.body).bytes()
    expect(Buffer.from(stored)).toEqual(cleaned)
    expect(await ledger.get(ids[0] ?? '')).toMatchObject({
      ...size,
      size: cleaned.byteLength,
      checksum: createHash('sha256').update(cleaned).digest('hex'),
    })
  })

  it('rejects too many pixels, and leaves nothing behind', async () => {
    const { receive, expectNothingLeft } = await open()
    const huge = Buffer.from(photo)
    const header = huge.indexOf(Buffer.from('ffc0', 'hex'))
    huge.writeUInt16BE(10_000, header + 5)
    huge.writeUInt16BE(10_000, header + 7)
    await expect(receive(jpeg(huge))).rejects.toMatchObject({
      code: 'validation_error',
      status: 422,
    })
    await expectNothingLeft()
  })

  it('rejects a damaged one, and leaves nothing behind', async () => {
    const { receive, expectNothingLeft } = await open()
    const damaged = jpegWith(IMAGES.jpeg, Buffer.from('fff7', 'hex'))
    await expect(receive(jpeg(damaged))).rejects.toMatchObject({ code: 'unsupported_media_type' })
    await expectNothingLeft()
  })

  it('counts its stored size, not its sent size, towards the quota', async () => {
    const { receive, ledger } = await open({ ownerQuota: cleaned.byteLength })
    await (await receive(jpeg(photo, Buffer.alloc(1000)))).accept()
    expect(await ledger.usage('user:1')).toBe(cleaned.byteLength)
  })

  it('records width and height for no other kind of file', async () => {
    const { receive, ledger, ids } = await open()
    expect(await (await receive(text(5))).accept()).not.toHaveProperty('width')
    expect(await ledger.get(ids[0] ?? '')).toMatchObject({ width: null, height: null })
  })
})
