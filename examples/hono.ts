import { serve } from '@hono/node-server'
import { createMarkdownEditor, localFiles, renderAssets } from '@quillgate/markdown-editor'
import { createQuillgate } from '@quillgate/server'
import { mount } from '@quillgate/server/hono'
import { createTrustedDevices } from '@quillgate/trusted-devices'
import { Hono } from 'hono'
import { checkPassword, findUser, formPage, posts, secret } from './application.ts'

const gate = createQuillgate({ secret, database: 'sqlite:./data/app.sqlite' })
const devices = createTrustedDevices(gate, { users: { findById: findUser } })
const editor = createMarkdownEditor(gate, { storage: localFiles('./data/media') })

export const app = new Hono()
app.use(mount(gate)) // adds the endpoints of both components
app.get('/login', async (c) => {
  const fields = '<input name="username"><input name="password" type="password">'
  return c.html(formPage('', await gate.csrfToken(c), fields))
})
app.post('/login', async (c) => {
  const form = await c.req.formData()
  if (!(await gate.verifyCsrf(c, form.get('csrf_token')))) return c.body(null, 403)
  const username = String(form.get('username'))
  const check = () => checkPassword(username, String(form.get('password')))
  const user = await devices.guardLogin(c, username, check) // limits the attempts
  if (!user) return c.body(null, 401)
  await devices.login(user, c) // the middleware adds the cookies to the response
  return c.redirect('/', 303)
})
app.get('/', async (c) => {
  if (!(await devices.authenticate(c))) return c.redirect('/login', 303)
  const widget = editor.widget()
  const list = posts.map((post) => editor.renderer.render(post)).join('<hr>')
  const fields = widget.render('body', '')
  return c.html(formPage(renderAssets(widget.assets), await gate.csrfToken(c), fields) + list)
})
app.post('/', async (c) => {
  const session = await devices.authenticate(c)
  const form = await c.req.formData()
  if (!session || !(await gate.verifyCsrf(c, form.get('csrf_token')))) return c.body(null, 403)
  const { text } = await editor.finalize(String(form.get('body')), { owner: session.user })
  const post = { type: 'post', id: posts.push(text) }
  await editor.references.set(post, { body: text }, { actor: session.user })
  return c.redirect('/', 303)
})
// If a file is too large, autoCleanupIncoming: true would break the connection before the client
// gets the response.
if (import.meta.main) serve({ fetch: app.fetch, port: 3000, autoCleanupIncoming: false })
