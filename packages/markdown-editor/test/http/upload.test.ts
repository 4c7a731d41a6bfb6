import { ValidationError } from '@quillgate/markdown-editor'
import { describe, expect, it } from 'vitest'
import type { UploadResponse } from '../../../markdown-editor-element/src/contract/wire.ts'
import { DefaultUploadHandler } from '../../src/media/upload/upload-handler.ts'
import { handlerWith, keyOfUrl } from '../editor-fixture.ts'
import { PNG } from '../media/upload/samples.ts'
import { formWith, problemOf } from './open-routes.ts'
import { ada, fieldPart, filePart, post, raw, UPLOAD, useUploads } from './upload-requests.ts'

const { open, expectRefusal } = useUploads()

describe('POST /md-editor/upload', () => {
  it('answers 201 with URL, name and type of a temporary file of the user', async () => {
    const { send, ledger, keys } = await open()
    const response = await send(UPLOAD, post(formWith(PNG, 'mein Foto.PNG')), ada)
    expect(response.status).toBe(201)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('content-type')).toContain('application/json')
    const { url, name, type } = (await response.json()) as UploadResponse
    expect(url).toMatch(/^\/media\/md-editor\/tmp\/m[0-9a-z]{26}-1x1-mein_Foto\.png$/)
    expect({ name, type }).toEqual({ name: 'mein Foto.PNG', type: 'image/png' })
    expect(await keys()).toEqual([keyOfUrl(url)])
    expect(await ledger.get(url.slice(21, 48))).toMatchObject({
      state: 'temporary',
      owner: 'user:ada',
    })
  })

  it('ignores other fields, before and after the file', async () => {
    const { send } = await open()
    const body = `${fieldPart('x', '1')}${filePart('hello')}${fieldPart('y', '2')}--x--\r\n`
    expect((await send(UPLOAD, raw(body), ada)).status).toBe(201)
  })

  it.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    'answers 405 to %s, with allow',
    async (method) => {
      const { send } = await open()
      const response = await send(UPLOAD, { method }, ada)
      expect(response.status).toBe(405)
      expect(response.headers.get('allow')).toBe('POST')
    },
  )

  it('answers 404 with a final slash', async () => {
    const { send } = await open()
    await expectRefusal(await send(`${UPLOAD}/`, post(), ada), 404, 'not_found')
  })
})

describe('POST /md-editor/upload, rejected files', () => {
  it('answers 413 file_too_large at the first byte over the limit', async () => {
    const { send, keys } = await open({ settings: { maxUploadSize: 1000 } })
    const text = (size: number) => post(formWith('x'.repeat(size), 'a.txt', 'text/plain'))
    await expectRefusal(await send(UPLOAD, text(1001), ada), 413, 'file_too_large')
    await expectRefusal(await send(UPLOAD, text(100_000), ada), 413, 'file_too_large')
    expect((await send(UPLOAD, text(1000), ada)).status).toBe(201)
    expect(await keys()).toHaveLength(1)
  })

  it('answers 413 quota_exceeded', async () => {
    const { send } = await open({ settings: { ownerQuota: 10 } })
    await expectRefusal(await send(UPLOAD, post(), ada), 413, 'quota_exceeded')
  })

  it('answers 422 validation_error with the message of the handler', async () => {
    class NoPictures extends DefaultUploadHandler {
      override validate(): void {
        throw new ValidationError('No pictures, please.')
      }
    }
    const { send, keys } = await open({ handler: new NoPictures() })
    const response = await send(UPLOAD, post(), ada)
    expect(await problemOf(response)).toMatchObject({
      status: 422,
      code: 'validation_error',
      detail: 'No pictures, please.',
    })
    expect(await keys()).toEqual([])
  })

  it('answers 500 without details when a handler fails, and stores nothing', async () => {
    const { send, keys, unexpected } = await open({
      handler: handlerWith({
        validate: () => {
          throw new TypeError('the scanner at 10.0.0.7 is down')
        },
      }),
    })
    const response = await send(UPLOAD, post(), ada)
    const { detail, ...problem } = await problemOf(response)
    expect(problem).toMatchObject({ status: 500, code: 'internal_error' })
    expect(detail).not.toContain('10.0.0.7')
    expect(unexpected).toEqual([expect.any(TypeError)])
    expect(await keys()).toEqual([])
  })
})
