// Prints a mail about each login from a new device or country. Sign in as ada (password quillgate)
// in two browsers.

import { createLoginAlerts } from '@quillgate/login-alerts'
import { createQuillgate } from '@quillgate/server'
import { mount } from '@quillgate/server/express'
import { createTrustedDevices, fromHeaders } from '@quillgate/trusted-devices'
import express from 'express'
import { findUser, secret } from './application.ts'
import { loginRoutes } from './login.ts'

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
  origin: 'http://localhost:3000', // for the links; omit it if `publicOrigin` is set
  to: (user) => emails.get(String(user.id)) ?? null, // null means no mail
  send(mail) {
    // if (mail.kind === 'new_device') return // no mails about new devices
    console.log(mail.to, mail.subject, mail.text)
  },
  onReported: ({ user }) => console.log('require a new password of', user.id),
})

export const app = express()
app.use(mount(gate)) // also adds the pages that the links open
app.use(loginRoutes(gate, devices, '/trusted-devices'))
if (import.meta.main) app.listen(3000)
