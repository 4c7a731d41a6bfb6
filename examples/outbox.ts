// Stores each signal in the database until the receivers in webhooks.ts have handled the signal.

import { createQuillgate } from '@quillgate/server'
import { mount } from '@quillgate/server/express'
import { createTrustedDevices } from '@quillgate/trusted-devices'
import express from 'express'
import { findUser, secret } from './application.ts'
import { loginRoutes } from './login.ts'

export const gate = createQuillgate({ secret, database: 'sqlite:./data/app.sqlite' })
export const devices = createTrustedDevices(gate, {
  users: { findById: findUser },
  receivers: () => import('./webhooks.ts'),
  settings: { outbox: true },
})

export const app = express()
app.use(mount(gate))
app.use(loginRoutes(gate, devices, '/trusted-devices'))
if (import.meta.main) app.listen(3000, () => gate.ready()) // `ready` starts the delivery
