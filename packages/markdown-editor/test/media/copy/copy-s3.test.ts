import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { localFiles, type Storage } from '@quillgate/markdown-editor'
import { s3 } from '@quillgate/storage/s3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { describeS3 } from '../../../../../tests/support/s3-service.ts'
import { keyOfUrl, openEditor, png, type TestEditor } from '../../editor-fixture.ts'

const MARKER = 'quillgate-installation.txt'
const MiB = 1024 * 1024

describeS3('local files, S3 and back', ({ endpoint, accessKeyId, secretAccessKey }) => {
  const credentials = { accessKeyId, secretAccessKey }
  const bucket = `copy-${process.pid}-${Date.now()}`
  const ends: (() => Promise<void>)[] = []
  let folder: string
  let run = 0

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quillgate-copy-s3-'))
    ends.push(() => rm(folder, { recursive: true, force: true }))
    if (run++ > 0) return
    const client = new S3Client({
      endpoint,
      credentials,
      region: 'us-east-1',
      forcePathStyle: true,
    })
    await client.send(new CreateBucketCommand({ Bucket: bucket }))
    client.destroy()
  })
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end()
  })

  const local = (name: string): Storage => localFiles(join(folder, name))
  const remote = (): Storage =>
    s3({ bucket, endpoint, credentials, prefix: `run-${run}/`, partSize: 5 * MiB })
  /** An editor on the ledger of this test. */
  const open = async (
    storage: Storage,
    options: Parameters<typeof openEditor>[1] = {},
  ): Promise<TestEditor> => {
    const database = `sqlite:${join(folder, 'ledger.sqlite')}`
    const opened = await openEditor(
      { orphanGrace: 86_400 },
      { database, storage, clock: Date.now, ...options },
    )
    ends.push(opened.close)
    return opened
  }
  it('have the same files, of one part and of several', { timeout: 60_000 }, async () => {
    const opened = await open(local('media'))
    const { url: small } = await opened.addPermanent()
    const form = new FormData()
    form.append(
      'file',
      new File(['0123456789abcde\n'.repeat(MiB)], 'big.txt', { type: 'text/plain' }),
    )
    const sent = await opened.request('POST', opened.editor.url('upload'), { body: form })
    const { url: big } = (await sent.json()) as { url: string }
    expect(sent.status).toBe(201)

    expect(await opened.editor.copyTo(remote())).toMatchObject({
      complete: true,
      copied: 2,
      replaced: 0,
    })
    expect(await opened.editor.copyTo(remote())).toMatchObject({
      complete: true,
      copied: 0,
      present: 2,
    })
    const moved = await open(remote())
    for (const url of [small, big]) {
      const [before, after] = [await opened.get(url), await moved.get(url)]
      expect(after.status).toBe(200)
      expect(Object.fromEntries(after.headers)).toEqual(Object.fromEntries(before.headers))
      expect(
        Buffer.from(await after.arrayBuffer()).equals(Buffer.from(await before.arrayBuffer())),
      ).toBe(true)
    }
    expect(await moved.editor.check()).toMatchObject({
      stopped: null,
      damaged: { count: 0 },
      strays: { count: 0 },
    })

    const back = local('back')
    expect(await moved.editor.copyTo(back)).toMatchObject({ complete: true, copied: 2 })
    const sizes = async (storage: Storage): Promise<unknown> =>
      Promise.all(
        [MARKER, small.slice(7), big.slice(7)].map(async (key) => (await storage.stat(key))?.size),
      )
    expect(await sizes(back)).toEqual(await sizes(local('media')))
  })

  it('replace an object that was damaged on its way', async () => {
    const opened = await open(local('media'))
    const { url } = await opened.addPermanent()
    const [key, target] = [keyOfUrl(url), remote()]
    const damaged = png().map((byte, index) => (index === 30 ? byte ^ 1 : byte))
    await target.write(key, ReadableStream.from([damaged]), { type: 'image/png' })
    expect(await opened.editor.copyTo(target)).toMatchObject({
      complete: true,
      replaced: 1,
      copied: 0,
    })
    expect(await opened.editor.copyTo(target)).toMatchObject({ complete: true, present: 1 })
  })

  it('send browsers to the bucket, which answers as the application would', async () => {
    const opened = await open(remote(), { delivery: 'redirect' })
    const { url } = await opened.upload('фото.png', png())
    const { replacements } = await opened.finalize(`![](${url})`)
    const permanent = replacements[url] ?? ''
    expect((await opened.get(url)).headers.get('location')).toBe(permanent)
    const redirect = await opened.get(permanent)
    expect(redirect.status).toBe(302)
    const location = redirect.headers.get('location') ?? ''
    const shown = await fetch(location)
    expect(shown.status).toBe(200)
    expect(shown.headers.get('content-type')).toBe('image/png')
    expect(shown.headers.get('content-disposition')).toBe(
      `inline; filename="____.png"; filename*=UTF-8''%D1%84%D0%BE%D1%82%D0%BE.png`,
    )
    expect(Buffer.from(await shown.arrayBuffer()).equals(png())).toBe(true)
    const part = await fetch(location, { headers: { range: 'bytes=1-3' } })
    expect([part.status, await part.text()]).toEqual([206, 'PNG'])
    expect((await fetch(location.replace(/-Expires=\d+/, '-Expires=9999'))).status).toBe(403)
  })
})
