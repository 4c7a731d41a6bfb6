// A form with the editor, in an application with its own users and sessions.

import { createMarkdownEditor, localFiles, renderAssets } from '@quillgate/markdown-editor'
import { createQuillgate } from '@quillgate/server'
import { mount } from '@quillgate/server/express'
import express from 'express'
import { currentUser, formPage, secret } from './application.ts'

const post = { id: 7, body: '' }
export const gate = createQuillgate({ secret, database: 'sqlite:./data/app.sqlite' })
export const editor = createMarkdownEditor(gate, {
  storage: localFiles('./data/media'),
  authenticate: ({ native }) => currentUser(native), // omit this option if you use trusted devices
  settings: { maxUploadSize: 10 * 1024 * 1024 },
})

export const app = express()
app.use(mount(gate)) // adds the endpoints and assets; must come before body parsers
app.get('/', async (req, res) => {
  const field = editor.widget({ height: '400px' })
  const html = field.render('body', post.body, { required: true })
  res.send(formPage(renderAssets(field.assets), await gate.csrfToken(req), html))
})
app.post('/', express.urlencoded({ limit: '10mb' }), async (req, res) => {
  const user = currentUser(req)
  const { csrf_token, body } = req.body ?? {}
  if (!user || !(await gate.verifyCsrf(req, csrf_token))) return void res.sendStatus(403)
  const { text } = await editor.finalize(body, { owner: user }) // makes uploads permanent
  post.body = text
  await editor.references.set({ type: 'post', id: post.id }, { body: text }, { actor: user })
  res.send(`<div class="md-content">${editor.renderer.render(text)}</div>`)
})
if (import.meta.main) app.listen(3000)
