// A form for new posts that keeps a draft in the browser until the post is saved.

import {
  createMarkdownEditor,
  localFiles,
  renderAssets,
  renderSaved,
} from '@quillgate/markdown-editor'
import { createQuillgate } from '@quillgate/server'
import { mount } from '@quillgate/server/express'
import express from 'express'
import { currentUser, formPage, posts, secret } from './application.ts'

const gate = createQuillgate({ secret, database: 'sqlite:./data/app.sqlite' })
const editor = createMarkdownEditor(gate, {
  storage: localFiles('./data/media'),
  authenticate: ({ native }) => currentUser(native),
})
const key = 'post/new/body'

export const app = express()
app.use(mount(gate))
app.get('/', async (req, res) => {
  const user = currentUser(req)
  if (!user) return void res.sendStatus(401)
  const field = editor.widget({ draft: { key, user: user.id, fields: ['title'] } })
  // after a save, the script in `saved` removes the draft
  const saved = req.query['saved'] === undefined ? '' : renderSaved(key)
  const html = `<input name="title">${field.render('body', '')}`
  res.send(formPage(renderAssets(field.assets) + saved, await gate.csrfToken(req), html))
})
app.post('/', express.urlencoded({ limit: '10mb' }), async (req, res) => {
  const user = currentUser(req)
  const { csrf_token, body } = req.body ?? {}
  if (!user || !(await gate.verifyCsrf(req, csrf_token))) return void res.sendStatus(403)
  const { text } = await editor.finalize(body, { owner: user })
  const post = { type: 'post', id: posts.push(text) }
  await editor.references.set(post, { body: text }, { actor: user })
  res.redirect(303, '/?saved')
})
if (import.meta.main) app.listen(3000)
