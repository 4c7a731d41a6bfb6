// Scans uploads, keeps orphaned files for a week, and logs deletions.

import { text as readText } from 'node:stream/consumers'
import {
  createMarkdownEditor,
  DefaultUploadHandler,
  localFiles,
  renderAssets,
  type UploadedFile,
  ValidationError,
} from '@quillgate/markdown-editor'
import { createQuillgate } from '@quillgate/server'
import { mount } from '@quillgate/server/express'
import express from 'express'
import { currentUser, formPage, secret } from './application.ts'

class Uploads extends DefaultUploadHandler {
  override async validate(file: UploadedFile): Promise<void> {
    const content = await readText(file.stream()) // call your scanner instead
    if (content.includes('EICAR-STANDARD-ANTIVIRUS-TEST-FILE')) {
      throw new ValidationError('This file has a virus.')
    }
  }
}
const post = { type: 'post', id: 7, body: '' }
const gate = createQuillgate({ secret, database: 'sqlite:./data/app.sqlite' })
export const editor = createMarkdownEditor(gate, {
  storage: localFiles('./data/media'),
  authenticate: ({ native }) => currentUser(native),
  settings: { orphanGrace: 7 * 86_400 }, // one week, in seconds
  uploadHandler: new Uploads(),
  onDeleted: ({ id, reason, actor }) => console.log('deleted', id, reason, actor),
})

export const app = express()
app.use(mount(gate))
app.get('/', async (req, res) => {
  const field = editor.widget()
  const html = field.render('body', post.body)
  res.send(formPage(renderAssets(field.assets), await gate.csrfToken(req), html))
})
app.post('/', express.urlencoded({ limit: '10mb' }), async (req, res) => {
  const user = currentUser(req)
  const { csrf_token, body } = req.body ?? {}
  if (!user || !(await gate.verifyCsrf(req, csrf_token))) return void res.sendStatus(403)
  const { text } = await editor.finalize(body, { owner: user }) // makes uploads permanent
  // files that the text no longer contains become orphans
  await editor.references.set(post, { body: text }, { actor: user })
  post.body = text
  res.redirect(303, '/')
})
if (import.meta.main) app.listen(3000)
