import { createMarkdownEditor, localFiles } from '@quillgate/markdown-editor'
import { renderMedia } from '@quillgate/markdown-editor/widget'
import { fromExpress, mount, setHeaders } from '@quillgate/server/express'
import { createCsrf } from '@quillgate/server/http'
import express from 'express'
import { currentUser, formPage, posts, secret } from './application.ts'

const csrf = createCsrf({ secret })
const storage = localFiles('./data/media')
const authenticate = (context: { native?: unknown }) => currentUser(context.native)
const options = { secret, csrf, database: 'sqlite:./data/app.sqlite', storage, authenticate }
export const editor = createMarkdownEditor(options)
export const app = express().use(mount(editor)) // before body parsers
app.get('/posts/new', (req, res) => {
  const { token, headers } = csrf.issue(fromExpress(req), currentUser(req))
  setHeaders(res, headers)
  res.send(formPage(renderMedia(editor.widget().media), token, editor.widget().render('body', '')))
})
app.post('/posts/new', express.urlencoded({ limit: '10mb' }), async (req, res) => {
  const user = currentUser(req)
  const { csrf_token, body } = req.body ?? {}
  if (!user || !csrf.verify(fromExpress(req), csrf_token, user)) return void res.sendStatus(403)
  const { text } = await editor.finalize(body, { owner: user }) // for browsers without JavaScript
  const post = { type: 'post', id: posts.push(text) }
  await editor.references.set(post, { body: text }, undefined, { actor: user }) // media that nothing references go
  res.send(editor.renderer.render(text))
})
