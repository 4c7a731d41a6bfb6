// Registers a device at each login.

import { createQuillgate } from '@quillgate/server'
import { mount } from '@quillgate/server/express'
import { createTrustedDevices } from '@quillgate/trusted-devices'
import { deviceCreated } from '@quillgate/trusted-devices/signals'
import express from 'express'
import { checkPassword, findUser, formPage, secret } from './application.ts'

const gate = createQuillgate({ secret, database: 'sqlite:./data/app.sqlite' })
const devices = createTrustedDevices(gate, {
  users: { findById: findUser, verifyCredentials: checkPassword },
})
deviceCreated.connect(({ user, device }) => console.log(user.id, 'signed in with', device.name), {
  id: 'log',
})

export const app = express()
app.use(mount(gate)) // adds the endpoints; must come before body parsers
app.get('/login', async (req, res) => {
  const fields = '<input name="username"><input name="password" type="password">'
  res.send(formPage('', await gate.csrfToken(req), fields))
})
app.post('/login', express.urlencoded(), async (req, res) => {
  const { csrf_token, username, password } = req.body ?? {}
  if (!(await gate.verifyCsrf(req, csrf_token))) return void res.sendStatus(403)
  const check = () => checkPassword(username, password)
  const user = await devices.guardLogin(req, username, check) // throws 429 after too many attempts
  if (!user) return void res.sendStatus(401)
  await devices.login(user, req) // registers the device, sets the cookies
  res.redirect(303, '/')
})
app.get('/', async (req, res) => {
  const session = await devices.authenticate(req) // { user, device } or null
  if (!session) return res.redirect(303, '/login')
  res.json(await devices.registry.list(session.user.id))
})
if (import.meta.main) app.listen(3000)
