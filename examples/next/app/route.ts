import { renderAssets } from '@quillgate/markdown-editor'
import { formPage, posts } from '../application.ts'
import { devices, editor, gate } from '../quillgate.ts'

const redirect = (location: string): Response =>
  new Response(null, { status: 303, headers: { location } })

export async function GET(request: Request): Promise<Response> {
  if (!(await devices.authenticate(request))) return redirect('/login')
  const widget = editor.widget()
  const list = posts.map((post) => editor.renderer.render(post)).join('<hr>')
  const token = await gate.csrfToken(request)
  const page = formPage(renderAssets(widget.assets), token, widget.render('body', '')) + list
  return gate.respond(request, new Response(page, { headers: { 'content-type': 'text/html' } }))
}

export async function POST(request: Request): Promise<Response> {
  const session = await devices.authenticate(request)
  const form = await request.formData()
  if (!session || !(await gate.verifyCsrf(request, form.get('csrf_token'))))
    return new Response(null, { status: 403 })
  const { text } = await editor.finalize(String(form.get('body')), { owner: session.user })
  const post = { type: 'post', id: posts.push(text) }
  await editor.references.set(post, { body: text }, { actor: session.user })
  return gate.respond(request, redirect('/'))
}
