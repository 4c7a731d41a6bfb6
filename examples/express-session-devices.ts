// Adds a device to each session of an application with express-session and Passport.

import { createQuillgate, isQuillgateError } from '@quillgate/server'
import { mount } from '@quillgate/server/express'
import { createTrustedDevices } from '@quillgate/trusted-devices'
import express, { type NextFunction, type Request, type Response } from 'express'
import session, { MemoryStore } from 'express-session'
import passport from 'passport'
import { Strategy } from 'passport-local'
import { checkPassword, findUser, formPage, secret, type User } from './application.ts'

declare module 'express-session' {
  interface SessionData {
    deviceUid: string
  }
}
const userOf = (req: Request): User | undefined => req.user as User | undefined
export const store = new MemoryStore() // a real application uses connect-redis or connect-pg-simple
export const gate = createQuillgate({ secret, database: 'sqlite:./data/app.sqlite' })
export const devices = createTrustedDevices(gate, {
  users: { findById: findUser, verifyCredentials: checkPassword },
  // Returns the user and the device of a session. Called by `authenticate`, `requireTrusted` and
  // the endpoints.
  session({ native }) {
    const req = native as Request
    const user = userOf(req)
    return user
      ? { userId: user.id, deviceUid: req.session.deviceUid, sessionId: req.sessionID }
      : null
  },
})
// Revoking a device ends its session.
devices.signals.deviceRevoked.connect(({ sessionId }) => {
  if (sessionId !== null) store.destroy(sessionId)
})

const strategy = new Strategy({ passReqToCallback: true }, (req, name, password, done) => {
  // Limits the attempts. The error handler gets the error 429.
  const guarded = devices.guardLogin(req, name, () => checkPassword(name, password))
  guarded.then((user) => done(null, user ?? false), done)
})
passport.use(strategy)
passport.serializeUser((user, done) => done(null, (user as User).id))
passport.deserializeUser((id: string, done) => done(null, findUser(id) ?? false))

export const app = express()
app.use(session({ store, secret, resave: false, saveUninitialized: false }))
app.use(passport.session())
app.use(mount(gate)) // Must come after the sessions, because the endpoints read sessions.
app.use(async (req, res, next) => {
  const user = userOf(req)
  if (!user || (await devices.authenticate(req))) return next()
  // Adds a device to a session that began before Quillgate was installed. Its user stays signed in.
  if (req.session.deviceUid === undefined) {
    const device = await devices.adopt(user, req, { sessionId: req.sessionID })
    if (device) {
      req.session.deviceUid = device.uid
      return next()
    }
  }
  req.session.destroy(() => res.redirect(303, '/login')) // The device of the session was revoked.
})

/** The CSRF token is in the form or in the header `x-csrf-token`. */
async function requireCsrf(req: Request, res: Response, next: NextFunction): Promise<void> {
  if (await gate.verifyCsrf(req, req.body?.csrf_token)) next()
  else res.sendStatus(403)
}

app.get('/login', async (req, res) => {
  const fields = '<input name="username"><input name="password" type="password">'
  res.send(formPage('', await gate.csrfToken(req), fields))
})
app.post(
  '/login',
  express.urlencoded(),
  requireCsrf,
  // `authenticate` changes the session id, so it must come before `login`.
  passport.authenticate('local'),
  async (req, res) => {
    const { device } = await devices.login(req.user as User, req, { sessionId: req.sessionID })
    req.session.deviceUid = device.uid
    res.redirect(303, '/')
  },
)
app.get(
  '/',
  (req, res) =>
    void res.send(req.user ? `You are ${userOf(req)?.username}` : 'Nobody is signed in'),
)
// Changes the id of the current session. The device must get the new id.
app.post('/rotate', requireCsrf, (req, res, next) => {
  const user = userOf(req)
  const { deviceUid } = req.session
  if (!user || !deviceUid) return void res.sendStatus(401)
  req.logIn(user, { session: true, keepSessionInfo: true }, (error) => {
    if (error) return next(error)
    devices
      .updateSession({ uid: deviceUid, userId: user.id }, req.sessionID)
      .then(() => res.sendStatus(204), next)
  })
})
// A sensitive route. If the last password entry is more than five minutes ago, the response is 403
// step_up_required.
app.post('/email', requireCsrf, async (req, res) => {
  const { user } = await devices.requireTrusted(req, { maxProofAge: 300 })
  res.send(`changed for ${user.id}`)
})
app.use((error: unknown, _req: Request, res: Response, next: NextFunction) => {
  if (!isQuillgateError(error)) return next(error)
  res.status(error.status).set(error.headers).json({ code: error.code, detail: error.detail })
})
if (import.meta.main) app.listen(3000)
