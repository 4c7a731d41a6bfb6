import { createMarkdownEditor, localFiles, renderAssets } from '@quillgate/markdown-editor'
import { createQuillgate } from '@quillgate/server'
import { mount } from '@quillgate/server/h3'
import { createTrustedDevices } from '@quillgate/trusted-devices'
import { H3, HTTPError, html, raw, redirect, serve } from 'h3'
import { checkPassword, findUser, formPage, posts, secret } from './application.ts'

const gate = createQuillgate({ secret, database: 'sqlite:./data/app.sqlite' })
const devices = createTrustedDevices(gate, { users: { findById: findUser } })
const editor = createMarkdownEditor(gate, { storage: localFiles('./data/media') })

export const app = new H3()
app.use(mount(gate)) // adds the endpoints of both components
app.get('/login', async (event) => {
  const fields = '<input name="username"><input name="password" type="password">'
  return html(raw(formPage('', await gate.csrfToken(event), fields)))
})
app.post('/login', async (event) => {
  const form = await event.req.formData()
  if (!(await gate.verifyCsrf(event, form.get('csrf_token')))) throw new HTTPError({ status: 403 })
  const username = String(form.get('username'))
  const check = () => checkPassword(username, String(form.get('password')))
  const user = await devices.guardLogin(event, username, check) // limits the attempts
  if (!user) throw new HTTPError({ status: 401 })
  await devices.login(user, event) // the middleware adds the cookies to the response
  return redirect('/', 303)
})
app.get('/', async (event) => {
  if (!(await devices.authenticate(event))) return redirect('/login', 303)
  const widget = editor.widget()
  const list = posts.map((post) => editor.renderer.render(post)).join('<hr>')
  const fields = widget.render('body', '')
  return html(
    raw(formPage(renderAssets(widget.assets), await gate.csrfToken(event), fields) + list),
  )
})
app.post('/', async (event) => {
  const session = await devices.authenticate(event)
  const form = await event.req.formData()
  if (!session || !(await gate.verifyCsrf(event, form.get('csrf_token'))))
    throw new HTTPError({ status: 403 })
  const { text } = await editor.finalize(String(form.get('body')), { owner: session.user })
  const post = { type: 'post', id: posts.push(text) }
  await editor.references.set(post, { body: text }, { actor: session.user })
  return redirect('/', 303)
})
if (import.meta.main) serve(app, { port: 3000 })
