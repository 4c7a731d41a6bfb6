import { createMarkdownEditor, localFiles, renderAssets } from '@quillgate/markdown-editor'
import { createQuillgate } from '@quillgate/server'
import { mount } from '@quillgate/server/fastify'
import { createTrustedDevices } from '@quillgate/trusted-devices'
import fastify from 'fastify'
import { checkPassword, findUser, formPage, posts, secret } from './application.ts'

const gate = createQuillgate({ secret, database: 'sqlite:./data/app.sqlite' })
const devices = createTrustedDevices(gate, { users: { findById: findUser } })
const editor = createMarkdownEditor(gate, { storage: localFiles('./data/media') })

export const app = fastify()
await app.register(mount(gate)) // adds the endpoints of both components
// You can use `@fastify/formbody` instead.
app.addContentTypeParser(
  'application/x-www-form-urlencoded',
  { parseAs: 'string', bodyLimit: 10_000_000 },
  (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
)
app.get('/login', async (request, reply) => {
  const fields = '<input name="username"><input name="password" type="password">'
  return reply.type('text/html').send(formPage('', await gate.csrfToken(request), fields))
})
app.post<{ Body: Record<string, string> }>('/login', async (request, reply) => {
  const { csrf_token, username = '', password = '' } = request.body
  if (!(await gate.verifyCsrf(request, csrf_token))) return reply.code(403).send()
  const check = () => checkPassword(username, password)
  const user = await devices.guardLogin(request, username, check) // limits the attempts
  if (!user) return reply.code(401).send()
  await devices.login(user, request) // sets the cookies of the response
  return reply.redirect('/', 303)
})
app.get('/', async (request, reply) => {
  if (!(await devices.authenticate(request))) return reply.redirect('/login', 303)
  const widget = editor.widget()
  const list = posts.map((post) => editor.renderer.render(post)).join('<hr>')
  const fields = widget.render('body', '')
  const form = formPage(renderAssets(widget.assets), await gate.csrfToken(request), fields)
  return reply.type('text/html').send(form + list)
})
app.post<{ Body: Record<string, string> }>('/', async (request, reply) => {
  const session = await devices.authenticate(request)
  const { csrf_token, body = '' } = request.body
  if (!session || !(await gate.verifyCsrf(request, csrf_token))) return reply.code(403).send()
  const { text } = await editor.finalize(body, { owner: session.user })
  const post = { type: 'post', id: posts.push(text) }
  await editor.references.set(post, { body: text }, { actor: session.user })
  return reply.redirect('/', 303)
})
if (import.meta.main) await app.listen({ port: 3000 })
