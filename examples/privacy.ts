// Lets users download and erase the stored data about their devices.

import { createQuillgate } from '@quillgate/server'
import { mount } from '@quillgate/server/express'
import { createTrustedDevices } from '@quillgate/trusted-devices'
import express from 'express'
import { findUser, formPage, secret } from './application.ts'
import { loginRoutes } from './login.ts'

const gate = createQuillgate({ secret, database: 'sqlite:./data/app.sqlite' })
const devices = createTrustedDevices(gate, {
  users: { findById: findUser },
  settings: { addressRetention: 7 * 86_400 }, // seconds
})

export const app = express()
app.use(mount(gate))
app.use(loginRoutes(gate, devices, '/account'))
app.get('/account', async (req, res) => {
  if (!(await devices.authenticate(req))) return res.redirect(303, '/login')
  const fields = '<a href="/account/export">Export</a> Erase my devices:'
  res.send(formPage('', await gate.csrfToken(req), fields))
})
app.get('/account/export', async (req, res) => {
  const session = await devices.authenticate(req)
  if (!session) return res.redirect(303, '/login')
  res.json(await devices.users.export(session.user.id))
})
app.post('/account', express.urlencoded(), async (req, res) => {
  const session = await devices.authenticate(req)
  const isOurs = await gate.verifyCsrf(req, req.body?.csrf_token)
  if (!session || !isOurs) return void res.sendStatus(403)
  await devices.users.erase(session.user.id) // returns the number of revoked devices
  res.redirect(303, '/login')
})
if (import.meta.main) app.listen(3000)
