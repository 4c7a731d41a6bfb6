import { createMarkdownEditor, localFiles, renderAssets } from '@quillgate/markdown-editor'
import { createQuillgate } from '@quillgate/server'
import { mount } from '@quillgate/server/express'
import { createTrustedDevices } from '@quillgate/trusted-devices'
import express from 'express'
import { checkPassword, findUser, formPage, posts, secret } from './application.ts'

const gate = createQuillgate({ secret, database: 'sqlite:./data/app.sqlite' })
const devices = createTrustedDevices(gate, { users: { findById: findUser } })
const editor = createMarkdownEditor(gate, { storage: localFiles('./data/media') })

export const app = express()
app.use(mount(gate)) // adds the endpoints of both components; must come before body parsers
app.use(express.urlencoded({ limit: '10mb' }))
app.get('/login', async (req, res) => {
  const fields = '<input name="username"><input name="password" type="password">'
  res.send(formPage('', await gate.csrfToken(req), fields))
})
app.post('/login', async (req, res) => {
  const { csrf_token, username, password } = req.body ?? {}
  if (!(await gate.verifyCsrf(req, csrf_token))) return void res.sendStatus(403)
  const user = await devices.guardLogin(req, username, () => checkPassword(username, password))
  if (!user) return void res.sendStatus(401)
  await devices.login(user, req) // sets the cookies of the response
  res.redirect(303, '/')
})
app.get('/', async (req, res) => {
  if (!(await devices.authenticate(req))) return res.redirect(303, '/login')
  const widget = editor.widget()
  const list = posts.map((post) => editor.renderer.render(post)).join('<hr>')
  const fields = widget.render('body', '')
  res.send(formPage(renderAssets(widget.assets), await gate.csrfToken(req), fields) + list)
})
app.post('/', async (req, res) => {
  const session = await devices.authenticate(req) // { user, device } or null
  const { csrf_token, body } = req.body ?? {}
  if (!session || !(await gate.verifyCsrf(req, csrf_token))) return void res.sendStatus(403)
  const { text } = await editor.finalize(body, { owner: session.user }) // makes uploads permanent
  const post = { type: 'post', id: posts.push(text) }
  await editor.references.set(post, { body: text }, { actor: session.user }) // keeps the files
  res.redirect(303, '/')
})
if (import.meta.main) app.listen(3000) // tests import the file without starting a server
