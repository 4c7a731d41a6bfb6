// A login form that several examples share. express-devices.ts explains its code.

import type { Quillgate } from '@quillgate/server'
import type { TrustedDevices } from '@quillgate/trusted-devices'
import express, { type Router } from 'express'
import { checkPassword, formPage } from './application.ts'

export function loginRoutes(gate: Quillgate, devices: TrustedDevices, next: string): Router {
  const router = express.Router()
  router.get('/login', async (req, res) => {
    const fields = '<input name="username"><input name="password" type="password">'
    res.send(formPage('', await gate.csrfToken(req), fields))
  })
  router.post('/login', express.urlencoded(), async (req, res) => {
    const { csrf_token, username, password } = req.body ?? {}
    if (!(await gate.verifyCsrf(req, csrf_token))) return void res.sendStatus(403)
    const check = () => checkPassword(username, password)
    const user = await devices.guardLogin(req, username, check)
    if (!user) return void res.sendStatus(401)
    await devices.login(user, req)
    res.redirect(303, next)
  })
  return router
}
