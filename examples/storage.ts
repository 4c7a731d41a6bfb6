// Stores uploads in a folder. If STORAGE_URL is set, stores them on S3.

import { createMarkdownEditor, localFiles, renderAssets } from '@quillgate/markdown-editor'
import { createQuillgate } from '@quillgate/server'
import { mount } from '@quillgate/server/express'
import { s3FromUrl } from '@quillgate/storage/s3'
import express from 'express'
import { currentUser, formPage, secret } from './application.ts'

const url = process.env['STORAGE_URL'] // s3://media/app?region=eu-central-1
const gate = createQuillgate({ secret, database: 'sqlite:./data/app.sqlite' })
export const editor = createMarkdownEditor(gate, {
  storage: url ? s3FromUrl(url) : localFiles('./data/media'),
  authenticate: ({ native }) => currentUser(native),
})

export const app = express()
app.use(mount(gate))
app.get('/', async (req, res) => {
  const field = editor.widget()
  const html = field.render('body', '')
  res.send(formPage(renderAssets(field.assets), await gate.csrfToken(req), html))
})
app.post('/', express.urlencoded({ limit: '10mb' }), async (req, res) => {
  const user = currentUser(req)
  const { csrf_token, body } = req.body ?? {}
  if (!user || !(await gate.verifyCsrf(req, csrf_token))) return void res.sendStatus(403)
  const { text } = await editor.finalize(body, { owner: user }) // makes uploads permanent
  res.send(editor.renderer.render(text)) // examples/media.ts shows how to save the text
})
if (import.meta.main) app.listen(3000)
