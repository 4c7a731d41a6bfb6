// Stores each signal in the database until the receivers of webhooks.ts have handled it.

import { createQuillgate } from '@quillgate/server'
import { mount } from '@quillgate/server/express'
import { createTrustedDevices } from '@quillgate/trusted-devices'
import express from 'express'
import { checkPassword, findUser, formPage, secret } from './application.ts'

export const gate = createQuillgate({ secret, database: 'sqlite:./data/app.sqlite' })
export const devices = createTrustedDevices(gate, {
  users: { findById: findUser },
  receivers: () => import('./webhooks.ts'),
  settings: { outbox: true },
})

export const app = express()
app.use(mount(gate))
app.get('/login', async (req, res) => {
  const fields = '<input name="username"><input name="password" type="password">'
  res.send(formPage('', await gate.csrfToken(req), fields))
})
app.post('/login', express.urlencoded(), async (req, res) => {
  const { csrf_token, username, password } = req.body ?? {}
  if (!(await gate.verifyCsrf(req, csrf_token))) return void res.sendStatus(403)
  const check = () => checkPassword(username, password)
  const user = await devices.guardLogin(req, username, check)
  if (!user) return void res.sendStatus(401)
  await devices.login(user, req)
  res.redirect(303, '/trusted-devices')
})
if (import.meta.main) app.listen(3000, () => gate.ready()) // `ready` starts the delivery
