import { createQuillgate } from '@quillgate/server'
import { mount } from '@quillgate/server/express'
import { createTrustedDevices } from '@quillgate/trusted-devices'
import { suspiciousLogin } from '@quillgate/trusted-devices/signals'
import express from 'express'
import { checkPassword, findUser, formPage, secret } from './application.ts'

export const gate = createQuillgate({ secret, database: 'sqlite:./data/app.sqlite' })
export const devices = createTrustedDevices(gate, { users: { findById: findUser } })
suspiciousLogin.connect(({ user, device }) =>
  console.log(`${user.id} signed in from ${device.country}`),
)
export const app = express().use(mount(gate)) // GET /trusted-devices, DELETE /trusted-devices/{uid} …
app.get('/login', async (req, res) => {
  const fields = '<input name="username"><input name="password" type="password">'
  res.send(formPage('', await gate.csrfToken(req), fields))
})
app.post('/login', express.urlencoded(), async (req, res) => {
  const { csrf_token, username, password } = req.body ?? {}
  if (!(await gate.verifyCsrf(req, csrf_token))) return void res.sendStatus(403)
  const check = () => checkPassword(username, password)
  const user = await devices.guardLogin(req, username, check) // limits the tries
  if (!user) return void res.sendStatus(401)
  await devices.login(user, req) // sets its own cookies on the response
  res.redirect(303, '/')
})
app.get('/', async (req, res) => {
  const session = await devices.authenticate(req) // { user, device } or null
  res.send(session ? `You are ${session.user.id} on ${session.device.name}` : 'Nobody is signed in')
})
