// A login endpoint for clients with tokens, with a second factor.

import { createQuillgate, isQuillgateError } from '@quillgate/server'
import { mount } from '@quillgate/server/express'
import { createTrustedDevices } from '@quillgate/trusted-devices'
import express, { type NextFunction, type Request, type Response } from 'express'
import { checkPassword, findUser, secret, type User } from './application.ts'

const gate = createQuillgate({ secret, database: 'sqlite:./data/app.sqlite' })
const devices = createTrustedDevices(gate, { users: { findById: findUser } })
// replace with your own check, for example TOTP
const checkCode = (_user: User, code: unknown) => code === '123456'

export const app = express()
app.use(mount(gate))
app.post('/api/login', express.json(), async (req, res) => {
  const { username, password, code, device_credential: deviceCredential } = req.body ?? {}
  let hasPassed = false
  const check = async () => {
    const found = checkPassword(username, password)
    if (!found || (await devices.secondFactor.isRemembered(found, { deviceCredential })))
      return found
    hasPassed = checkCode(found, code)
    return hasPassed ? found : null
  }
  const user = await devices.guardLogin(req, username, check, { deviceCredential })
  if (!user) return void res.status(401).json({ code: 'invalid_credentials' })
  const how = { transport: 'bearer', deviceCredential } as const
  const { device, tokens } = await devices.login(user, req, how)
  if (hasPassed) await devices.secondFactor.remember(device)
  const { access, refresh, deviceCredential: device_credential } = tokens ?? {}
  res.json({ access, refresh, device_uid: device.uid, device_credential })
})
app.use((error: unknown, _req: Request, res: Response, next: NextFunction) => {
  if (!isQuillgateError(error)) return next(error)
  res.status(error.status).set(error.headers).json({ code: error.code, detail: error.detail })
})
if (import.meta.main) app.listen(3000)
