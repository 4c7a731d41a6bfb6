// The server of a React application. Serves JSON for its pages, and the files that `vite build`
// wrote.

import { createMarkdownEditor, localFiles } from '@quillgate/markdown-editor'
import { createQuillgate } from '@quillgate/server'
import { mount } from '@quillgate/server/express'
import express from 'express'
import { currentUser, posts, secret } from '../application.ts'

const gate = createQuillgate({
  secret,
  database: 'sqlite:./data/app.sqlite',
  publicOrigin: process.env['PUBLIC_ORIGIN'] ?? 'http://localhost:5173', // Vite's development server
})
const editor = createMarkdownEditor(gate, {
  storage: localFiles('./data/media'),
  authenticate: ({ native }) => currentUser(native),
})

export const app = express()
app.use(mount(gate)) // must come before body parsers
app.get('/api/page', async (req, res) => {
  const html = posts.map((post) => editor.renderer.render(post))
  res.json({ csrfToken: await gate.csrfToken(req), posts: html })
})
app.post('/api/posts', express.json({ limit: '10mb' }), async (req, res) => {
  const user = currentUser(req)
  if (!user || !(await gate.verifyCsrf(req))) return void res.sendStatus(403)
  const { text } = await editor.finalize(req.body.body, { owner: user })
  const post = { type: 'post', id: posts.push(text) }
  await editor.references.set(post, { body: text }, { actor: user }) // keeps the files of the post
  res.sendStatus(201)
})
app.use(express.static('dist'))
if (import.meta.main) app.listen(3000)
