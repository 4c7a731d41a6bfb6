import { fromExpress, mount, setHeaders } from '@quillgate/server/express'
import { createCsrf } from '@quillgate/server/http'
import { createTrustedDevices } from '@quillgate/trusted-devices'
import { suspiciousLogin } from '@quillgate/trusted-devices/signals'
import express from 'express'
import { checkPassword, findUser, formPage, secret } from './application.ts'

const csrf = createCsrf({ secret })
const users = { findById: findUser }
export const devices = createTrustedDevices({
  secret,
  csrf,
  database: 'sqlite:./data/app.sqlite',
  users,
})
suspiciousLogin.connect(({ user, device }) =>
  console.log(`${user.id} signed in from ${device.country}`),
)
export const app = express().use(mount(devices)) // GET /trusted-devices, DELETE /trusted-devices/{uid} …
app.get('/login', (req, res) => {
  const { token, headers } = csrf.issue(fromExpress(req))
  setHeaders(res, headers)
  res.send(formPage('', token, '<input name="username"><input name="password" type="password">'))
})
app.post('/login', express.urlencoded(), async (req, res) => {
  const { csrf_token, username, password } = req.body ?? {}
  if (!csrf.verify(fromExpress(req), csrf_token)) return void res.sendStatus(403)
  const user = await devices.guardLogin(fromExpress(req), username, () =>
    checkPassword(username, password),
  ) // limited
  if (!user) return void res.sendStatus(401)
  setHeaders(res, (await devices.login(user, fromExpress(req), { transport: 'cookie' })).headers)
  setHeaders(res, csrf.rotate(fromExpress(req), user).headers) // a new user, a new CSRF session
  res.redirect(303, '/')
})
app.get('/', async (req, res) => {
  const session = await devices.authenticate(fromExpress(req)) // { user, device, headers? } or null
  setHeaders(res, session?.headers ?? new Headers()) // now and then a renewed cookie
  res.send(session ? `You are ${session.user.id} on ${session.device.name}` : 'Nobody is signed in')
})
