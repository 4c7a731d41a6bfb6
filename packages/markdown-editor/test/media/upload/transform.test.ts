import { afterEach, describe, expect, it } from 'vitest'
import type {
  FileToTransform,
  TransformedFile,
  TransformUpload,
} from '../../../src/media/upload/upload-handler.ts'
import { idOf, openEditor, type TestEditor } from '../../editor-fixture.ts'

let opened: TestEditor | undefined
afterEach(async () => {
  await opened?.close()
  opened = undefined
})

async function send(transform: TransformUpload, type: string, bytes: Uint8Array<ArrayBuffer>) {
  opened = await openEditor({}, { transform })
  const body = new FormData()
  body.set('file', new File([bytes], 'a.txt', { type }))
  const response = await opened.request('POST', '/md-editor/upload', { body })
  const answer = (await response.json()) as Record<string, unknown> & { url: string }
  const medium = response.ok ? await opened.editor.media.get(idOf(answer.url)) : null
  const stored = response.ok
    ? Buffer.from(await (await opened.get(answer.url)).arrayBuffer())
    : null
  return { status: response.status, answer, medium, stored }
}

describe('the transform of an upload handler', () => {
  it('rejects a returned type that can execute script', async () => {
    const toHtml: TransformUpload = ({ body }) => ({ type: 'text/html', body })
    const { status } = await send(toHtml, 'text/plain', new Uint8Array([65]))
    expect(status).toBe(500)
    expect(await opened?.storedKeys()).toEqual([])
  })

  it('determines bytes, size and checksum', async () => {
    let closed = 0
    const upper: TransformUpload = ({ type, body }) => ({
      type,
      body: (async function* () {
        for await (const chunk of body)
          yield Buffer.from(Buffer.from(chunk).toString().toUpperCase())
      })(),
      close: async () => {
        closed++
      },
    })
    const { stored, medium } = await send(upper, 'text/plain', new Uint8Array([97, 98]))
    expect(stored).toEqual(Buffer.from('AB'))
    expect(medium?.size).toBe(2)
    expect(closed).toBe(1)
  })

  it('can return an instance of a class with inherited members', async () => {
    class Reversed implements TransformedFile {
      readonly #file: FileToTransform
      closed = 0

      constructor(file: FileToTransform) {
        this.#file = file
      }

      get type(): string {
        return this.#file.type
      }

      get body(): AsyncIterable<Uint8Array> {
        return this.#reversed()
      }

      async *#reversed(): AsyncGenerator<Uint8Array> {
        for await (const chunk of this.#file.body) yield Buffer.from(chunk).reverse()
      }

      async close(): Promise<void> {
        this.closed++
      }
    }
    const made: Reversed[] = []
    const reverse: TransformUpload = (file) => {
      const reversed = new Reversed(file)
      made.push(reversed)
      return reversed
    }
    const { stored } = await send(reverse, 'text/plain', new Uint8Array([97, 98]))
    expect(stored).toEqual(Buffer.from('ba'))
    expect(made.map(({ closed }) => closed)).toEqual([1])
  })

  it('can return a type that users cannot upload, with the size of the new image', async () => {
    const toAvif: TransformUpload = ({ body }) => ({
      type: 'image/avif',
      body,
      width: 20,
      height: 10,
    })
    const { answer, medium } = await send(toAvif, 'text/plain', new Uint8Array([97]))
    expect(answer).toMatchObject({ type: 'image/avif', width: 20, height: 10 })
    expect(answer.url).toMatch(/-20x10-a_txt\.avif$|-20x10-a\.avif$/)
    expect(medium).toMatchObject({ type: 'image/avif', width: 20, height: 10 })
  })
})
