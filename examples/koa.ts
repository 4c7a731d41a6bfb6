import { text as readText } from 'node:stream/consumers'
import { createMarkdownEditor, localFiles, renderAssets } from '@quillgate/markdown-editor'
import { createQuillgate } from '@quillgate/server'
import { mount } from '@quillgate/server/koa'
import { createTrustedDevices } from '@quillgate/trusted-devices'
import Koa, { type Context } from 'koa'
import { checkPassword, findUser, formPage, posts, secret } from './application.ts'

const gate = createQuillgate({ secret, database: 'sqlite:./data/app.sqlite' })
const devices = createTrustedDevices(gate, { users: { findById: findUser } })
const editor = createMarkdownEditor(gate, { storage: localFiles('./data/media') })

/** Reads a form. You can use a body parser instead, after mount(gate). */
const formOf = async (ctx: Context): Promise<Record<string, string>> =>
  Object.fromEntries(new URLSearchParams(await readText(ctx.req)))

// You can use `@koa/router` instead.
const routes: Record<string, (ctx: Context) => Promise<unknown>> = {
  async 'GET /login'(ctx) {
    const fields = '<input name="username"><input name="password" type="password">'
    ctx.body = formPage('', await gate.csrfToken(ctx), fields)
  },
  async 'POST /login'(ctx) {
    const { csrf_token, username = '', password = '' } = await formOf(ctx)
    if (!(await gate.verifyCsrf(ctx, csrf_token))) return ctx.throw(403)
    const check = () => checkPassword(username, password)
    const user = await devices.guardLogin(ctx, username, check) // limits the attempts
    if (!user) return ctx.throw(401)
    await devices.login(user, ctx) // sets the cookies of the response
    ctx.redirect('/')
    ctx.status = 303
  },
  async 'GET /'(ctx) {
    if (!(await devices.authenticate(ctx))) return ctx.redirect('/login')
    const widget = editor.widget()
    const list = posts.map((post) => editor.renderer.render(post)).join('<hr>')
    const fields = widget.render('body', '')
    ctx.body = formPage(renderAssets(widget.assets), await gate.csrfToken(ctx), fields) + list
  },
  async 'POST /'(ctx) {
    const session = await devices.authenticate(ctx)
    const { csrf_token, body = '' } = await formOf(ctx)
    if (!session || !(await gate.verifyCsrf(ctx, csrf_token))) return ctx.throw(403)
    const { text } = await editor.finalize(body, { owner: session.user })
    const post = { type: 'post', id: posts.push(text) }
    await editor.references.set(post, { body: text }, { actor: session.user })
    ctx.redirect('/')
    ctx.status = 303
  },
}

export const app = new Koa()
app.use(mount(gate)) // adds the endpoints of both components
app.use(async (ctx) => routes[`${ctx.method} ${ctx.path}`]?.(ctx))
if (import.meta.main) app.listen(3000)
