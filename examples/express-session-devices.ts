// An application that keeps its own sessions (express-session, Passport) and gives each of them a device.

import { fromExpress, guard, mount, setHeaders } from '@quillgate/server/express'
import { createCsrf } from '@quillgate/server/http'
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
export const store = new MemoryStore() // connect-redis or connect-pg-simple in a real application
const csrf = createCsrf({ secret })
export const devices = createTrustedDevices({
  secret,
  csrf,
  database: 'sqlite:./data/app.sqlite',
  users: {
    findById: findUser,
    verifyCredentials: checkPassword,
    usernameOf: ({ id }) => findUser(String(id))?.name ?? '',
  },
  // What the session of a request says. `authenticate`, `requireTrusted` and the endpoints know the device by it.
  session({ native }) {
    const req = native as Request
    const user = userOf(req)
    return user
      ? { userId: user.id, deviceUid: req.session.deviceUid, sessionId: req.sessionID }
      : null
  },
})
// A device that is revoked, in whatever way, takes its session with it.
devices.signals.deviceRevoked.connect(({ sessionId }) => {
  if (sessionId !== null) store.destroy(sessionId)
})

const strategy = new Strategy({ passReqToCallback: true }, (req, name, password, done) => {
  // Limited: 429 goes to the error handler of the application.
  const guarded = devices.guardLogin(fromExpress(req), name, () => checkPassword(name, password))
  guarded.then((user) => done(null, user ?? false), done)
})
passport.use(strategy)
passport.serializeUser((user, done) => done(null, (user as User).id))
passport.deserializeUser((id: string, done) => done(null, findUser(id) ?? false))

export const app = express()
app.use(session({ store, secret, resave: false, saveUninitialized: false }))
app.use(passport.session())
app.use(async (req, res, next) => {
  const user = userOf(req)
  if (!user || (await devices.authenticate(fromExpress(req)))) return next()
  // A session from before this component was installed gets a device, so that nobody is signed out.
  if (req.session.deviceUid === undefined) {
    const adopted = await devices.adopt(user, fromExpress(req), { sessionId: req.sessionID })
    if (adopted) {
      req.session.deviceUid = adopted.device.uid
      setHeaders(res, adopted.headers)
      return next()
    }
  }
  req.session.destroy(() => res.redirect(303, '/login')) // Its device was revoked.
})
app.use(mount(devices)) // Behind the sessions, so that GET /trusted-devices and the others know them.

/** Only our own pages may change something: the token is in the form, or a script sends it as `x-csrf-token`. */
function requireCsrf(req: Request, res: Response, next: NextFunction): void {
  const token = req.get('x-csrf-token') ?? req.body?.csrf_token
  if (csrf.verify(fromExpress(req), token ?? null, userOf(req))) next()
  else res.sendStatus(403)
}

app.get('/login', (req, res) => {
  const { token, headers } = csrf.issue(fromExpress(req), userOf(req))
  setHeaders(res, headers)
  res.send(formPage('', token, '<input name="username"><input name="password" type="password">'))
})
app.post(
  '/login',
  express.urlencoded(),
  requireCsrf,
  passport.authenticate('local'), // It gives the session a new id: this is the one that counts.
  async (req, res) => {
    const user = req.user as User
    const options = { transport: 'session', sessionId: req.sessionID } as const
    const { device, headers } = await devices.login(user, fromExpress(req), options)
    req.session.deviceUid = device.uid
    setHeaders(res, headers) // The device credential: this browser is the same device at its next login.
    setHeaders(res, csrf.rotate(fromExpress(req), user).headers)
    res.redirect(303, '/')
  },
)
app.get(
  '/',
  (req, res) => void res.send(req.user ? `You are ${userOf(req)?.name}` : 'Nobody is signed in'),
)
// A session that gets a new id while it goes on: its device must know.
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
// A sensitive route: 403 step_up_required unless the password was entered in the last five minutes.
app.post(
  '/email',
  requireCsrf,
  guard(
    (context) => devices.requireTrusted(context, { maxProofAge: 300 }),
    (_req: Request, res: Response, { user }) => void res.send(`changed for ${user.id}`),
  ),
)
