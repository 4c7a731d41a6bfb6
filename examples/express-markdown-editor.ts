import { createMarkdownEditor, localFiles } from '@quillgate/markdown-editor'
import { renderAssets } from '@quillgate/markdown-editor/widget'
import { createQuillgate } from '@quillgate/server'
import { mount } from '@quillgate/server/express'
import express from 'express'
import { currentUser, formPage, posts, secret } from './application.ts'

export const gate = createQuillgate({ secret, database: 'sqlite:./data/app.sqlite' })
export const editor = createMarkdownEditor(gate, {
  storage: localFiles('./data/media'),
  authenticate: ({ native }) => currentUser(native),
})
export const app = express().use(mount(gate)) // before body parsers
app.get('/posts/new', async (req, res) => {
  const widget = editor.widget()
  const token = await gate.csrfToken(req)
  res.send(formPage(renderAssets(widget.assets), token, widget.render('body', '')))
})
app.post('/posts/new', express.urlencoded({ limit: '10mb' }), async (req, res) => {
  const user = currentUser(req)
  const { csrf_token, body } = req.body ?? {}
  if (!user || !(await gate.verifyCsrf(req, csrf_token))) return void res.sendStatus(403)
  const { text } = await editor.finalize(body, { owner: user }) // for browsers without JavaScript
  const post = { type: 'post', id: posts.push(text) }
  await editor.references.set(post, { body: text }, { actor: user }) // keeps the files of the text
  res.send(editor.renderer.render(text))
})
