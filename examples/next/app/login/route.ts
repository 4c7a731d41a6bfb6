import { checkPassword, formPage } from '../../application.ts'
import { devices, gate } from '../../quillgate.ts'

const html = { 'content-type': 'text/html' }

export async function GET(request: Request): Promise<Response> {
  const fields = '<input name="username"><input name="password" type="password">'
  const page = formPage('', await gate.csrfToken(request), fields)
  return gate.respond(request, new Response(page, { headers: html }))
}

export async function POST(request: Request): Promise<Response> {
  const form = await request.formData()
  if (!(await gate.verifyCsrf(request, form.get('csrf_token'))))
    return new Response(null, { status: 403 })
  const username = String(form.get('username'))
  const check = () => checkPassword(username, String(form.get('password')))
  const user = await devices.guardLogin(request, username, check) // limits the attempts
  if (!user) return new Response(null, { status: 401 })
  await devices.login(user, request)
  const answer = new Response(null, { status: 303, headers: { location: '/' } })
  return gate.respond(request, answer) // adds the cookies
}
