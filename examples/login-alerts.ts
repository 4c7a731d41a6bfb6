// Prints a mail about each login from a new device or country. Sign in as ada (quillgate) in two browsers.

import { createLoginAlerts } from '@quillgate/login-alerts'
import { createQuillgate } from '@quillgate/server'
import { mount } from '@quillgate/server/express'
import { createTrustedDevices, fromHeaders } from '@quillgate/trusted-devices'
import express from 'express'
import { checkPassword, findUser, formPage, secret } from './application.ts'

const emails = new Map([['1', 'ada@example.com']]) // a real application stores them with its users
const gate = createQuillgate({
  secret,
  database: 'sqlite:./data/app.sqlite',
  trustedProxies: ['127.0.0.1', '::1'], // your proxies; they set the headers X-Forwarded-For and cf-ipcountry
})
const devices = createTrustedDevices(gate, {
  users: { findById: findUser },
  locate: fromHeaders('cf-ipcountry'), // without `locate`, there are no mails about countries
})
createLoginAlerts(devices, {
  appName: 'Harbour',
  origin: 'http://localhost:3000', // for the links; not needed if `publicOrigin` is set
  to: (user) => emails.get(String(user.id)) ?? null, // null: no mail
  send(mail) {
    // if (mail.kind === 'new_device') return // to mail only about new countries and stolen credentials
    console.log(mail.to, mail.subject, mail.text)
  },
  onReported: ({ user }) => console.log('require a new password of', user.id),
})

export const app = express()
app.use(mount(gate)) // also adds the pages of the links
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
if (import.meta.main) app.listen(3000)
