import { DefaultUploadHandler, ValidationError } from '@quillgate/markdown-editor'
import { describe, expect, it } from 'vitest'
import {
  BaseUploadHandler,
  type UploadContext,
  type UploadedFile,
} from '../../../src/media/upload/upload-handler.ts'
import { png as pngOf } from '../../editor-fixture.ts'
import { useEditors } from '../../use-editors.ts'
import { png, text, useReceivers } from './receive-fixture.ts'
import { PNG } from './samples.ts'

const { open } = useReceivers()
const { open: openEditor } = useEditors()

describe('an upload handler', () => {
  it('receives the file, and can reject it so that nothing remains', async () => {
    const seen: unknown[] = []
    class Picky extends DefaultUploadHandler {
      override async validate(file: UploadedFile): Promise<void> {
        const bytes = await new Response(file.stream()).arrayBuffer()
        const again = await new Response(file.stream()).arrayBuffer()
        seen.push([file.name, file.type, file.size, bytes.byteLength, again.byteLength])
        throw new ValidationError('Pictures have at most 50 bytes.')
      }
    }
    const { receive, expectNothingLeft } = await open({ handler: new Picky() })
    const upload = await receive(png())
    await expect(upload.accept()).rejects.toMatchObject({ code: 'validation_error', status: 422 })
    expect(seen).toEqual([
      ['photo.png', 'image/png', PNG.byteLength, PNG.byteLength, PNG.byteLength],
    ])
    await expectNothingLeft()
  })

  // Rails guide, "Validating Attachment Metadata": metadata is extracted before validation
  it('receives the size of an image before it validates', async () => {
    const seen: unknown[] = []
    class Curious extends DefaultUploadHandler {
      override validate({ type, width, height }: UploadedFile): void {
        seen.push({ type, width, height })
      }
    }
    const { upload } = await openEditor({}, { uploadHandler: new Curious() })
    await upload('a.png', pngOf(9))
    expect(seen).toEqual([{ type: 'image/png', width: 9, height: 1 }])
  })

  it('validates before it saves', async () => {
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
    const { receive, states } = await open({ handler: new Recording() })
    await (await receive(png())).accept()
    expect(order).toEqual(['validate', 'save for user:1'])
    expect(await states()).toEqual(['temporary'])
  })

  it('can store files elsewhere, without finalize (F27)', async () => {
    const elsewhere = new Map<string, string>()
    class Elsewhere extends BaseUploadHandler {
      async save(file: UploadedFile): Promise<string> {
        elsewhere.set(file.name, await new Response(file.stream()).text())
        return `https://files.example.com/${file.name}`
      }
    }
    const { receive, expectNothingLeft } = await open({ handler: new Elsewhere() })
    const upload = await receive(text(5))
    expect(await upload.accept()).toMatchObject({ url: 'https://files.example.com/a.txt' })
    expect([...elsewhere]).toEqual([['a.txt', 'xxxxx']])
    await expectNothingLeft()
  })

  it('leaves nothing behind when it throws in save, even after keep', async () => {
    class Failing extends DefaultUploadHandler {
      override async save(file: UploadedFile, context: UploadContext): Promise<string> {
        await super.save(file, context)
        throw new Error('the index is down')
      }
    }
    const { receive, expectNothingLeft } = await open({ handler: new Failing() })
    const upload = await receive(png())
    await expect(upload.accept()).rejects.toThrow('the index is down')
    await expectNothingLeft()
  })

  it('is called only by its own editor (F32)', async () => {
    class Named extends BaseUploadHandler {
      readonly #name: string
      constructor(name: string) {
        super()
        this.#name = name
      }
      override async save(): Promise<string> {
        return `https://files.example/${this.#name}`
      }
    }
    const editors = [
      await openEditor({}, { uploadHandler: new Named('one') }),
      await openEditor({}, { uploadHandler: new Named('two') }),
    ]
    const answers = await Promise.all(editors.map(({ upload }) => upload('a.png', pngOf())))
    expect(answers.map(({ url }) => url)).toEqual([
      'https://files.example/one',
      'https://files.example/two',
    ])
  })
})
