// Stores uploads in a private bucket, behind a CDN.

import { createMarkdownEditor, renderAssets } from '@quillgate/markdown-editor'
import { createQuillgate } from '@quillgate/server'
import { mount } from '@quillgate/server/express'
import { s3 } from '@quillgate/storage/s3'
import express from 'express'
import { currentUser, formPage, secret } from './application.ts'

export const gate = createQuillgate({
  secret,
  database: process.env['DATABASE_URL'] ?? 'sqlite:./data/app.sqlite',
  publicOrigin: process.env['PUBLIC_ORIGIN'] ?? 'https://www.example.com',
  trustedProxies: ['10.0.0.0/8'], // the addresses from which the CDN or load balancer connects
})
export const editor = createMarkdownEditor(gate, {
  storage: s3({ bucket: 'example-media', region: 'eu-central-1' }), // uses the credentials of the AWS SDK
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
  await editor.references.set({ type: 'post', id: 7 }, { body: text }, { actor: user })
  res.send(editor.renderer.render(text))
})
if (import.meta.main) app.listen(3000)
