import { describe, it } from 'vitest'
import { formWith } from './open-routes.ts'
import { ada, fieldPart, filePart, post, raw, UPLOAD, useUploads } from './upload-requests.ts'

const { open, expectRefusal } = useUploads()

describe('POST /md-editor/upload, malformed forms', () => {
  it.each([
    ['no parts', '--x--\r\n'],
    ['a text field called file', `${fieldPart('file', 'hello')}--x--\r\n`],
    ['another field', `${filePart('hello', 'File')}--x--\r\n`],
    ['file[]', `${filePart('hello', 'file[]')}--x--\r\n`],
    [
      'an empty file name',
      '--x\r\ncontent-disposition: form-data; name="file"; filename=""\r\ncontent-type: application/octet-stream\r\n\r\n\r\n--x--\r\n',
    ],
  ])('answers 400 missing_file to %s', async (_what, body) => {
    const { send } = await open()
    await expectRefusal(await send(UPLOAD, raw(body), ada), 400, 'missing_file')
  })

  it.each([
    'application/json',
    'image/png',
    'application/x-www-form-urlencoded',
    'multipart/mixed; boundary=x',
    '',
  ])('answers 400 missing_file to a body of type %j', async (type) => {
    const { send } = await open()
    await expectRefusal(
      await send(UPLOAD, raw(`${filePart('hello')}--x--\r\n`, type), ada),
      400,
      'missing_file',
    )
  })

  it('answers 400 missing_file without a body', async () => {
    const { send } = await open()
    await expectRefusal(await send(UPLOAD, { method: 'POST' }, ada), 400, 'missing_file')
  })

  it('answers 400 multiple_files to two files, and stores neither (F29)', async () => {
    const { send } = await open()
    const same = `${filePart('one')}${filePart('two')}--x--\r\n`
    await expectRefusal(await send(UPLOAD, raw(same), ada), 400, 'multiple_files')
    const other = `${filePart('one')}${filePart('two', 'second')}--x--\r\n`
    await expectRefusal(await send(UPLOAD, raw(other), ada), 400, 'multiple_files')
  })

  it('answers 400 empty_file to zero bytes (F29)', async () => {
    const { send } = await open()
    await expectRefusal(await send(UPLOAD, post(formWith('')), ada), 400, 'empty_file')
  })

  it.each([
    ['without a boundary', 'x', 'multipart/form-data'],
    ['that ends in a header', '--x\r\ncontent-disposition: form-data; na', undefined],
    ['that ends in the file', filePart('hello'), undefined],
    ['that ends before the last boundary', `${filePart('hello')}--x`, undefined],
    ['that is nonsense', 'nonsense', undefined],
    ['that is empty', '', undefined],
  ])('answers 400 malformed_multipart to a form %s', async (_what, body, type) => {
    const { send } = await open()
    await expectRefusal(await send(UPLOAD, raw(body, type), ada), 400, 'malformed_multipart')
  })

  it('answers 413 to a form with too many parts, and stores nothing', async () => {
    const { send } = await open()
    const body = `${filePart('hello')}${fieldPart('x', '1').repeat(100)}--x--\r\n`
    await expectRefusal(await send(UPLOAD, raw(body), ada), 413, 'too_many_parts')
  })
})
