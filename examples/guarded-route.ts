// Guards a sensitive route, and asks for a second factor on new devices.

import { createQuillgate, isQuillgateError } from '@quillgate/server'
import { mount } from '@quillgate/server/express'
import { createTrustedDevices } from '@quillgate/trusted-devices'
import express, { type NextFunction, type Request, type Response } from 'express'
import { checkPassword, findUser, formPage, secret, type User } from './application.ts'

const gate = createQuillgate({ secret, database: 'sqlite:./data/app.sqlite' })
// Do not set `users.verifyCredentials`. It turns on POST /trusted-devices/token, which needs no code.
const devices = createTrustedDevices(gate, { users: { findById: findUser } })
// replace with your own check, for example TOTP
const checkCode = (_user: User, code: unknown) => code === '123456'

export const app = express()
app.use(mount(gate))
app.get('/login', async (req, res) => {
  const fields = `<input name="username"><input name="password" type="password">
    <input name="code"><input name="remember" type="checkbox">`
  res.send(formPage('', await gate.csrfToken(req), fields))
})
app.post('/login', express.urlencoded(), async (req, res) => {
  const { csrf_token, username, password, code, remember } = req.body ?? {}
  if (!(await gate.verifyCsrf(req, csrf_token))) return void res.sendStatus(403)
  let hasPassed = false
  const user = await devices.guardLogin(req, username, async () => {
    const found = checkPassword(username, password)
    if (!found || (await devices.secondFactor.isRemembered(found, req))) return found
    hasPassed = checkCode(found, code)
    return hasPassed ? found : null // a wrong code counts as a wrong password
  })
  if (!user) return void res.sendStatus(401)
  const { device } = await devices.login(user, req)
  if (hasPassed && remember) await devices.secondFactor.remember(device, { for: 14 * 86_400 })
  res.redirect(303, '/email')
})
app.get('/email', async (req, res) => {
  if (!(await devices.authenticate(req))) return res.redirect(303, '/login')
  res.send(formPage('', await gate.csrfToken(req), '<input name="email">'))
})
app.post('/email', express.urlencoded(), async (req, res) => {
  if (!(await gate.verifyCsrf(req, req.body?.csrf_token))) return void res.sendStatus(403)
  const { user } = await devices.requireTrusted(req, { maxProofAge: 300 }) // seconds
  res.send(`changed the address of ${user.id}`)
})
app.use((error: unknown, _req: Request, res: Response, next: NextFunction) => {
  if (!isQuillgateError(error)) return next(error)
  if (error.code === 'step_up_required') return res.redirect(303, '/login')
  res.status(error.status).set(error.headers).json({ code: error.code, detail: error.detail })
})
if (import.meta.main) app.listen(3000)
