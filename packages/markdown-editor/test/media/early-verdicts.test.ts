import {
  BaseUploadHandler,
  type UploadContext,
  type UploadedFile,
  ValidationError,
} from '@quillgate/markdown-editor'
import { describe, expect, it } from 'vitest'
import { idOf, png, type TestEditor } from '../editor-fixture.ts'
import { useEditors } from '../use-editors.ts'

const { open } = useEditors()

async function send(opened: TestEditor): Promise<Response> {
  const form = new FormData()
  form.append('file', new File([png()], 'a.png', { type: 'image/png' }))
  return opened.request('POST', opened.editor.url('upload'), { body: form })
}

describe('a scanner whose verdict comes before the upload has ended', () => {
  it('need not be waited for', async () => {
    const opened = await open({}, { validate: (_file, upload) => void upload.quarantine() })
    const { url } = await opened.upload('a.png', png())
    expect((await opened.get(url)).status).toBe(404)
    expect(await opened.editor.media.release(idOf(url))).toBe(true)
  })

  it('releases the file', async () => {
    const released: boolean[] = []
    const opened: TestEditor = await open(
      {},
      {
        validate: async (_file, upload) => {
          await upload.quarantine()
          released.push(
            await opened.editor.media.release(upload.id),
            await opened.editor.media.release(upload.id),
          )
          await upload.quarantine() // Once is enough: it does not take the decision back.
        },
      },
    )
    const { url } = await opened.upload('a.png', png())
    expect(released).toEqual([true, false])
    expect(await opened.editor.media.get(idOf(url))).toMatchObject({
      state: 'temporary',
      quarantinedAt: null,
    })
    expect((await opened.get(url)).status).toBe(200)
  })

  describe('and rejects the file', () => {
    type Ending = (file: UploadedFile) => Promise<void> | void
    const endings: Record<string, { goesOn: Ending; detail?: string }> = {
      'and is done': { goesOn: () => {} },
      'and looks at it again': {
        goesOn: async (file) => void (await new Response(file.stream()).bytes()),
      },
      'and fails': {
        goesOn: () => {
          throw new Error('The queue is gone.')
        },
      },
      'and says why': {
        goesOn: () => {
          throw new ValidationError('Eicar.')
        },
        detail: 'Eicar.',
      },
    }

    it.each(Object.entries(endings))(
      '%s, has it refused, and leaves nothing',
      async (_how, { goesOn, detail }) => {
        const heard: string[] = []
        const ids: string[] = []
        const opened: TestEditor = await open(
          {},
          {
            validate: async (file, { quarantine, id }) => {
              await quarantine()
              ids.push(id)
              expect(await opened.editor.media.reject(id, { actor: { id: 'mod' } })).toBe(true)
              expect(await opened.storedKeys()).toEqual([])
              expect(await opened.editor.media.reject(id)).toBe(false)
              await goesOn(file)
            },
            onDeleted: ({ id }) => void heard.push(id),
          },
        )
        const response = await send(opened)
        expect([response.status, await response.json()]).toEqual([
          422,
          expect.objectContaining({
            code: 'validation_error',
            detail: detail ?? 'The file was refused.',
          }),
        ])
        expect(await opened.storedKeys()).toEqual([])
        expect(await opened.editor.media.get(ids[0] ?? '')).toBeNull()
        expect(heard).toEqual([])
      },
    )

    it('keeps it from a handler with a place of its own', async () => {
      const saved: string[] = []
      class Elsewhere extends BaseUploadHandler {
        override async save({ name }: UploadedFile): Promise<string> {
          saved.push(name)
          return `https://files.example.com/${name}`
        }
      }
      const opened: TestEditor = await open(
        {},
        {
          uploadHandler: new Elsewhere(),
          validate: async (_file, { quarantine, id }) => {
            await quarantine()
            await opened.editor.media.reject(id)
          },
        },
      )
      expect((await send(opened)).status).toBe(422)
      expect(saved).toEqual([])
    })

    it.each(['keeps', 'takes'])(
      'refuses it also while a handler that %s it is at work',
      async (how) => {
        let id = ''
        class Slow extends BaseUploadHandler {
          override async save(_file: UploadedFile, { keep }: UploadContext): Promise<string> {
            const url = how === 'keeps' ? await keep() : 'https://files.example.com/a.png'
            await opened.editor.media.reject(id)
            return url
          }
        }
        const opened: TestEditor = await open(
          {},
          {
            uploadHandler: new Slow(),
            validate: async (_file, upload) => {
              id = upload.id
              await upload.quarantine()
            },
          },
        )
        expect((await send(opened)).status).toBe(422)
        expect(await opened.storedKeys()).toEqual([])
        expect(await opened.editor.media.get(id)).toBeNull()
      },
    )

    it('leaves the row of an upload that died to the audit', async () => {
      const ends = Promise.withResolvers<void>()
      const rejected = Promise.withResolvers<string>()
      const opened: TestEditor = await open(
        {},
        {
          validate: async (_file, { quarantine, id }) => {
            await quarantine()
            await opened.editor.media.reject(id, { actor: { id: 'mod' } })
            rejected.resolve(id)
            await ends.promise
          },
        },
      )
      const sending = send(opened)
      const id = await rejected.promise
      expect(await opened.editor.media.get(id)).toMatchObject({
        state: 'deleted',
        reason: 'rejected',
        actor: 'user:mod',
        checksum: null,
      })
      opened.clock.advance(365 * 86_400_000 + 1)
      await opened.editor.sweep()
      expect(await opened.editor.media.get(id)).toBeNull()
      ends.resolve()
      await sending
    })
  })

  it('refuses a quarantine that comes after the upload', async () => {
    let quarantine: (() => Promise<void>) | undefined
    const validate = (_file: UploadedFile, upload: Pick<UploadContext, 'quarantine'>): void => {
      quarantine = upload.quarantine
    }
    const opened = await open({}, { validate })
    const { url } = await opened.upload('a.png', png())
    await expect(quarantine?.()).rejects.toMatchObject({ code: 'upload_interrupted' })
    expect((await opened.get(url)).status).toBe(200)
  })
})
