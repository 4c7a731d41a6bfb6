// Shows users their devices. The page also works without scripts.

import { createQuillgate } from '@quillgate/server'
import { mount } from '@quillgate/server/express'
import { createTrustedDevices, submitDeviceForm } from '@quillgate/trusted-devices'
import { type DeviceListProblem, renderDeviceList } from '@quillgate/trusted-devices-client/list'
import express, { type Request, type Response } from 'express'
import { checkPassword, findUser, secret } from './application.ts'
import { loginRoutes } from './login.ts'

const gate = createQuillgate({ secret, database: 'sqlite:./data/app.sqlite' })
const devices = createTrustedDevices(gate, {
  users: { findById: findUser, verifyCredentials: checkPassword },
})

export const app = express()
app.use(mount(gate))
app.use(loginRoutes(gate, devices, '/devices'))
app.get('/devices', (req, res) => showDevices(req, res))
app.post(
  ['/devices/:uid/:operation', '/devices/revoke-all'],
  express.urlencoded(),
  async (req, res) => {
    const form = { action: '/devices', fields: req.body }
    const { problem, status } = await submitDeviceForm(devices, req, form)
    if (!problem) return res.redirect(303, '/devices')
    await showDevices(req, res.status(status), problem)
  },
)
if (import.meta.main) app.listen(3000)

async function showDevices(req: Request, res: Response, problem: DeviceListProblem | null = null) {
  const session = await devices.authenticate(req)
  if (!session) return res.redirect(303, '/login')
  const csrfToken = await gate.csrfToken(req)
  const cursor = typeof req.query['cursor'] === 'string' ? req.query['cursor'] : null
  const page = await devices.registry.list(session.user.id, { limit: 20, cursor })
  const current = session.device
  const list = renderDeviceList({ ...page, problem, current, csrfToken, action: '/devices' })
  const { css, js } = devices.assets
  res.send(`<!doctype html><link rel="stylesheet" href="${css}">
    <script type="module" src="${js}"></script>${list}`)
}
