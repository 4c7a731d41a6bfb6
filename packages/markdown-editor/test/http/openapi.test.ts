import { memoryStorage } from '@quillgate/storage/testing'
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createEditor, type TestMarkdownEditor } from '../create-editor.ts'

let editor: TestMarkdownEditor
beforeEach(() => {
  editor = createEditor({
    secret: 'a secret of at least thirty-two bytes',
    database: 'sqlite::memory:',
    storage: memoryStorage(),
    authenticate: () => null,
    basePath: '/files',
  })
})
afterEach(() => editor.close())

// The endpoint tests compare each response with this document (see `documented.ts`).

describe('the API document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator()
    const { valid, errors } = await validator.validate({ ...structuredClone(editor.openApi()) })
    expect([valid, errors, validator.version]).toEqual([true, undefined, '3.1'])
  })

  it('contains the endpoints at the paths of this editor', () => {
    expect(Object.keys(editor.openApi().paths)).toEqual([
      editor.url('upload'),
      editor.url('finalize'),
      '/media/{path}',
    ])
  })
})
