import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { localFiles } from '@quillgate/markdown-editor'
import { expect, it } from 'vitest'
import { importUploads } from '../../examples/import-uploads.ts'
import { createEditor } from '../../packages/markdown-editor/test/create-editor.ts'
import { png } from '../support/png.ts'

it('the example of the import guide stores files of multer, with and without an extension', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quillgate-import-'))
  const uploads = join(folder, 'uploads')
  mkdirSync(uploads)
  const image = png(8, 8, [255, 0, 0])
  writeFileSync(join(uploads, 'red.png'), image)
  writeFileSync(join(uploads, '0f2e9a'), image) // a name that multer creates
  const editor = createEditor({
    secret: 'a secret of at least thirty-two bytes',
    database: 'sqlite::memory:',
    storage: localFiles(join(folder, 'media')),
    authenticate: () => ({ id: '1' }),
  })
  const owner = { id: '1', name: 'ada' }
  const before = '![a](/uploads/red.png) ![b](/uploads/0f2e9a) ![c](https://example.com/c.png)'
  const text = await importUploads(editor, before, owner, uploads)
  expect(text).toMatch(
    /^!\[a\]\(\/media\/\S+-8x8-red\.png\) !\[b\]\(\/media\/\S+\.png\) !\[c\]\(https:\/\/example\.com\/c\.png\)$/,
  )
  await editor.close()
  rmSync(folder, { recursive: true, force: true })
})
