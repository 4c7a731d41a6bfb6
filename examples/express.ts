import { fileURLToPath } from 'node:url'
import { createMarkdownEditor, localFiles, renderAssets } from '@quillgate/markdown-editor'
import { createQuillgate, isQuillgateError } from '@quillgate/server'
import { mount } from '@quillgate/server/express'
import { createTrustedDevices } from '@quillgate/trusted-devices'
import express, { type NextFunction, type Request, type Response } from 'express'
import { checkPassword, findUser, formPage, posts, secret } from './application.ts'

const gate = createQuillgate({ secret, database: 'sqlite:./data/app.sqlite' })
const devices = createTrustedDevices(gate, { users: { findById: findUser } })
const editor = createMarkdownEditor(gate, { storage: localFiles('./data/media') })
const styles = fileURLToPath(import.meta.resolve('@quillgate/markdown/markdown.css'))

export const app = express()
app.use(mount(gate)) // adds the endpoints of both components; must come before body parsers
app.use('/markdown.css', express.static(styles)) // styles the saved texts
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
app.post('/logout', async (req, res) => {
  if (!(await gate.verifyCsrf(req, req.body?.csrf_token))) return void res.sendStatus(403)
  await devices.logout(req)
  res.redirect(303, '/login')
})
app.get('/', async (req, res) => {
  if (!(await devices.authenticate(req))) return res.redirect(303, '/login')
  const token = await gate.csrfToken(req)
  const widget = editor.widget()
  const head = renderAssets(widget.assets, devices.assets, { css: ['/markdown.css'], js: [] })
  const list = posts.map((post) => `<div class="md-content">${editor.renderer.render(post)}</div>`)
  res.send(`${formPage(head, token, widget.render('body', ''))} ${list.join('<hr>')}
    <trusted-devices signed-out-url="/login"></trusted-devices>
    <form method="post" action="/logout" data-md-editor-clear-drafts>
    <input type="hidden" name="csrf_token" value="${token}"><button>Sign out</button></form>`)
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
app.use((error: unknown, _req: Request, res: Response, next: NextFunction) => {
  if (!isQuillgateError(error) || error.status >= 500) return next(error)
  res.status(error.status).set(error.headers).type('text').send(error.detail) // such as 429
})
if (import.meta.main) app.listen(3000) // tests import the file without starting a server
