import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { createMarkdownEditor, localFiles, renderAssets } from '@quillgate/markdown-editor'
import { createQuillgate } from '@quillgate/server'
import { mount } from '@quillgate/server/node'
import { createTrustedDevices } from '@quillgate/trusted-devices'
import { checkPassword, findUser, formPage, posts, secret } from './application.ts'

const gate = createQuillgate({ secret, database: 'sqlite:./data/app.sqlite' })
const devices = createTrustedDevices(gate, { users: { findById: findUser } })
const editor = createMarkdownEditor(gate, { storage: localFiles('./data/media') })

const formOf = async (req: IncomingMessage): Promise<Record<string, string>> =>
  Object.fromEntries(new URLSearchParams(await readText(req)))
const redirect = (res: ServerResponse, location: string): unknown =>
  res.writeHead(303, { location }).end()
const html = (res: ServerResponse, page: string): unknown =>
  res.setHeader('content-type', 'text/html').end(page)
const status = (res: ServerResponse, code: number): unknown => res.writeHead(code).end()

type Route = (req: IncomingMessage, res: ServerResponse) => Promise<unknown>
const routes: Record<string, Route> = {
  async 'GET /login'(req, res) {
    const fields = '<input name="username"><input name="password" type="password">'
    return html(res, formPage('', await gate.csrfToken(req), fields))
  },
  async 'POST /login'(req, res) {
    const { csrf_token, username = '', password = '' } = await formOf(req)
    if (!(await gate.verifyCsrf(req, csrf_token))) return status(res, 403)
    const check = () => checkPassword(username, password)
    const user = await devices.guardLogin(req, username, check) // limits the attempts
    if (!user) return status(res, 401)
    await devices.login(user, req) // sets the cookies of the response
    return redirect(res, '/')
  },
  async 'GET /'(req, res) {
    if (!(await devices.authenticate(req))) return redirect(res, '/login')
    const widget = editor.widget()
    const list = posts.map((post) => editor.renderer.render(post)).join('<hr>')
    const fields = widget.render('body', '')
    const form = formPage(renderAssets(widget.assets), await gate.csrfToken(req), fields)
    return html(res, form + list)
  },
  async 'POST /'(req, res) {
    const session = await devices.authenticate(req)
    const { csrf_token, body = '' } = await formOf(req)
    if (!session || !(await gate.verifyCsrf(req, csrf_token))) return status(res, 403)
    const { text } = await editor.finalize(body, { owner: session.user })
    const post = { type: 'post', id: posts.push(text) }
    await editor.references.set(post, { body: text }, { actor: session.user })
    return redirect(res, '/')
  },
}

const quillgate = mount(gate) // adds the endpoints of both components
export const server = createServer((req, res) => {
  quillgate(req, res, async () => {
    const route = routes[`${req.method} ${req.url}`]
    if (!route) return status(res, 404)
    return await route(req, res).catch(() => status(res, 500))
  })
})
if (import.meta.main) server.listen(3000)
