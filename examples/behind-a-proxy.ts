// Runs behind a reverse proxy on the same machine. Accepts the form only from pages of
// publicOrigin.

import { createQuillgate } from '@quillgate/server'
import { mount } from '@quillgate/server/express'
import express from 'express'
import { formPage, secret } from './application.ts'

const gate = createQuillgate({
  secret,
  database: 'sqlite:./data/app.sqlite',
  publicOrigin: process.env['PUBLIC_ORIGIN'] ?? 'https://example.com', // the origin that browsers see
  trustedProxies: ['127.0.0.1', '::1', '10.0.0.0/8'],
})

export const app = express()
app.use(mount(gate))
app.get('/', async (req, res) => {
  res.send(formPage('', await gate.csrfToken(req), '<input name="text">'))
})
app.post('/', express.urlencoded(), async (req, res) => {
  const isOurs = await gate.verifyCsrf(req, req.body?.csrf_token)
  res.status(isOurs ? 200 : 403).send(isOurs ? 'accepted' : 'refused')
})
if (import.meta.main) app.listen(3000, '127.0.0.1') // only programs on this machine can connect
