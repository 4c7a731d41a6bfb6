import {
  DefaultUploadHandler,
  type UploadedFile,
  ValidationError,
} from '@quillgate/markdown-editor'
import { describe, expect, it } from 'vitest'
import { MEDIA_STATES } from '../../src/media/ledger/medium.ts'
import { idOf, png, type TestEditor } from '../editor-fixture.ts'
import { useEditors } from '../use-editors.ts'

const { open } = useEditors()

const [ada, grace] = [{ id: 'ada' }, { id: 'grace' }]
const imageFile = (name = 'photo.png', bytes = png()): File =>
  new File([bytes], name, { type: 'image/png' })

function streamed(chunks: readonly (Uint8Array | Error)[]) {
  const rest = [...chunks]
  const state = { isCancelled: false }
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = rest.shift()
      if (next instanceof Error) controller.error(next)
      else if (next) controller.enqueue(next)
      else controller.close()
    },
    cancel() {
      state.isCancelled = true
    },
  })
  return { state, file: { name: 'a.png', type: 'image/png', stream: () => stream } }
}

async function expectNothing({ editor, storedKeys }: TestEditor): Promise<void> {
  expect(await storedKeys()).toEqual([])
  for (const state of MEDIA_STATES) expect((await editor.media.list({ state })).media).toEqual([])
}

describe('editor.media.add', () => {
  it('stores a file, which finalizing a text of its owner makes permanent', async () => {
    const { editor, get } = await open()
    const added = await editor.media.add(imageFile(), { owner: ada })
    expect(added).toMatchObject({ name: 'photo.png', type: 'image/png', width: 1, height: 1 })
    const { text, missing } = await editor.finalize(`![a](${added.url})`, { owner: ada })
    expect(missing).toEqual([])
    const url = /\((.*)\)/.exec(text)?.[1] ?? ''
    expect(url).toContain('/uploads/')
    const response = await get(url)
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(png())
    expect(await editor.media.get(idOf(url))).toMatchObject({
      state: 'permanent',
      owner: 'user:ada',
    })
  })

  it('returns and records the same as an upload of the same file', async () => {
    const { editor, upload } = await open()
    const uploaded = await upload('photo.png', png())
    const added = await editor.media.add(imageFile(), { owner: ada })
    const [one, other] = await Promise.all(
      [uploaded, added].map(({ url }) => editor.media.get(idOf(url))),
    )
    const { id, tempKey, ...rest } = one ?? {}
    expect(other).toMatchObject(rest)
    expect(Object.keys(added)).toEqual(Object.keys(uploaded))
    expect(added.url.replace(idOf(added.url), '')).toBe(
      uploaded.url.replace(idOf(uploaded.url), ''),
    )
  })

  it('accepts a stream, and an anonymous session as the owner', async () => {
    const { editor, get } = await open()
    const bytes = png(9)
    const { file } = streamed([bytes.subarray(0, 20), bytes.subarray(20)])
    const { url } = await editor.media.add(file, { owner: { session: 'visitor' } })
    expect(new Uint8Array(await (await get(url)).arrayBuffer())).toEqual(bytes)
    expect(await editor.media.get(idOf(url))).toMatchObject({
      owner: 'anon:visitor',
      state: 'temporary',
    })
  })

  it('lets only the owner finalize a file', async () => {
    const { editor } = await open()
    const { url } = await editor.media.add(imageFile(), { owner: ada })
    expect(await editor.finalize(url, { owner: grace })).toMatchObject({ text: url })
    expect(await editor.media.get(idOf(url))).toMatchObject({ state: 'temporary' })
  })

  it.each([
    [
      'a type that is not allowed',
      new File(['<p>'], 'a.html', { type: 'text/html' }),
      'unsupported_media_type',
      415,
    ],
    [
      'content of another type',
      new File(['<svg/>'], 'a.png', { type: 'image/png' }),
      'unsupported_media_type',
      415,
    ],
    ['an empty file', new File([], 'a.png', { type: 'image/png' }), 'empty_file', 400],
    ['a file over maxUploadSize', imageFile('a.png', png(2000)), 'file_too_large', 413],
  ])('rejects %s like an upload, and stores nothing', async (_name, file, code, status) => {
    const opened = await open({ maxUploadSize: 80 })
    await expect(opened.editor.media.add(file, { owner: ada })).rejects.toMatchObject({
      code,
      status,
    })
    await expectNothing(opened)
  })

  it('rejects a file that exceeds the quota of the owner', async () => {
    const opened = await open({ ownerQuota: png().byteLength })
    await opened.editor.media.add(imageFile(), { owner: ada })
    const more = opened.editor.media.add(imageFile(), { owner: ada })
    await expect(more).rejects.toMatchObject({ code: 'quota_exceeded', status: 413 })
    await opened.editor.media.add(imageFile(), { owner: grace })
    expect(await opened.storedKeys()).toHaveLength(2)
  })

  it('counts the files of each anonymous session separately', async () => {
    const { editor } = await open({ ownerQuota: png().byteLength })
    await editor.media.add(imageFile(), { owner: { session: 'one' } })
    const more = editor.media.add(imageFile(), { owner: { session: 'one' } })
    await expect(more).rejects.toMatchObject({ code: 'quota_exceeded' })
    expect(await editor.media.add(imageFile(), { owner: { session: 'other' } })).toMatchObject({
      name: 'photo.png',
    })
  })

  it('calls the upload handler, and stores nothing that it rejects', async () => {
    const calls: string[] = []
    class Strict extends DefaultUploadHandler {
      override validate({ name }: UploadedFile): void {
        calls.push(`validate ${name}`)
        throw new ValidationError('Not today.')
      }
    }
    const opened = await open({}, { uploadHandler: new Strict() })
    const added = opened.editor.media.add(imageFile(), { owner: ada })
    await expect(added).rejects.toMatchObject({
      code: 'validation_error',
      status: 422,
      message: 'Not today.',
    })
    expect(calls).toEqual(['validate photo.png'])
    await expectNothing(opened)
  })

  it('removes the written bytes when the stream fails', async () => {
    const opened = await open()
    const { file } = streamed([png(3000), new Error('broken off')])
    await expect(opened.editor.media.add(file, { owner: ada })).rejects.toThrow('broken off')
    await expectNothing(opened)
  })

  it('cancels a stream that it does not read to the end', async () => {
    const opened = await open({ allowedUploadTypes: ['image/gif'] })
    const { file, state } = streamed([png(), new Uint8Array(10_000), png()])
    await expect(opened.editor.media.add(file, { owner: ada })).rejects.toMatchObject({
      status: 415,
    })
    expect(state.isCancelled).toBe(true)
  })

  it.each([
    [undefined],
    [null],
    [new Blob(['a'])],
    ['photo.png'],
    [{ name: '', stream: () => new Blob(['a']).stream() }],
    [{ name: 'a.txt', type: 7, stream: () => new Blob(['a']).stream() }],
    [{ name: 'a.txt', stream: () => 'a' }],
  ])('rejects %j as a file, and explains what a file must be', async (file) => {
    const opened = await open()
    const added = opened.editor.media.add(file as never, { owner: ada })
    await expect(added).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('editor.media.add'),
    })
    await expectNothing(opened)
  })

  it.each([[undefined], [{}], [{ owner: 'ada' }], [{ owner: null }]])(
    'refuses %j as the owner',
    async (options) => {
      const opened = await open()
      const added = opened.editor.media.add(imageFile(), options as never)
      await expect(added).rejects.toMatchObject({ code: 'invalid_user' })
    },
  )
})

describe('DefaultUploadHandler', () => {
  it('refers to editor.media.add if save is called with a file', async () => {
    const handler = new DefaultUploadHandler() as unknown as { save(file: File): Promise<string> }
    await expect(handler.save(imageFile())).rejects.toThrow('editor.media.add(file, { owner })')
  })

  it('refers to editor.finalize if finalize is called with a URL', async () => {
    const handler = new DefaultUploadHandler() as unknown as {
      finalize(url: string): Promise<string>
    }
    await expect(handler.finalize('/media/md-editor/tmp/a.png')).rejects.toThrow(
      'editor.finalize(text, { owner })',
    )
  })
})
