// Shows administrators the devices of a user, and revokes all of them.

import { createQuillgate } from '@quillgate/server'
import { mount } from '@quillgate/server/express'
import { createTrustedDevices } from '@quillgate/trusted-devices'
import express, { type NextFunction, type Request, type Response } from 'express'
import { findUser, formPage, secret } from './application.ts'
import { loginRoutes } from './login.ts'

const gate = createQuillgate({ secret, database: 'sqlite:./data/app.sqlite' })
export const devices = createTrustedDevices(gate, { users: { findById: findUser } })
const isAdministrator = (userId: unknown) => userId === '1' // replace with your own check

export const app = express()
app.use(mount(gate))
app.use(loginRoutes(gate, devices, '/admin/users/1'))
app.use('/admin', requireAdministrator)
app.get('/admin/users/:id', async (req, res) => {
  const { devices: found, nextCursor } = await devices.registry.list(req.params.id, { limit: 100 })
  const items = found.map(({ name, country, lastSeenAt }) =>
    escapeHtml(`${name}, ${country ?? 'unknown country'}, ${lastSeenAt.toISOString()}`),
  )
  const more = nextCursor === null ? '' : '<p>There are more devices.</p>'
  const list = `<ul><li>${items.join('<li>')}</ul>${more}<p>Revoke all devices:</p>`
  res.send(formPage('<meta charset="utf-8">', await gate.csrfToken(req), list))
})
app.post('/admin/users/:id', express.urlencoded(), async (req, res) => {
  if (!(await gate.verifyCsrf(req, req.body?.csrf_token))) return void res.sendStatus(403)
  await devices.registry.revokeAll(req.params.id, { reason: 'admin' })
  res.redirect(303, req.originalUrl)
})
if (import.meta.main) app.listen(3000)

async function requireAdministrator(req: Request, res: Response, next: NextFunction) {
  const session = await devices.authenticate(req)
  if (!session) return res.redirect(303, '/login')
  if (!isAdministrator(session.user.id)) return res.sendStatus(404)
  next()
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
