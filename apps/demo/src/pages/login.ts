import { addressKey, type Csrf, createRateLimiter, parseRate, QuillgateError } from '@quillgate/http'
import { fromExpress, setHeaders } from '@quillgate/http/express'
import { type Request, type Response, Router } from 'express'
import { type Account, DEMO_PASSWORD, verifyPassword } from '../accounts.ts'
import type { DemoParts } from '../parts.ts'
import { visitorOf } from '../visitor.ts'

/** Signing in and out with a browser. */
export function loginRoutes({ csrf, devices, editor, loginRateLimit, network }: DemoParts): Router {
  const limiter = createRateLimiter()
  const rate = parseRate(loginRateLimit)
  const router = Router()

  router.get('/login', (request, response) => {
    if (visitorOf(request).user) return response.redirect(303, '/')
    showForm(response, { next: safePath(request.query['next']) })
  })

  router.post('/login', async (request, response) => {
    const { username, password } = credentials(request)
    const next = safePath((request.body as Record<string, unknown>)['next'])
    try {
      await limiter.consume(`address:${addressKey(network.clientAddress(fromExpress(request)))}`, rate)
      await limiter.consume(`account:${username}`, rate)
    } catch (error) {
      if (!(error instanceof QuillgateError)) throw error
      response.status(error.status).set(error.headers)
      return showForm(response, { username, next, problem: 'Too many tries. Wait a minute and try again.' })
    }
    const user = verifyPassword(username, password)
    if (!user) {
      response.status(401)
      return showForm(response, { username, next, problem: 'This user name and password do not match.' })
    }
    await signIn(request, response, user)
    response.redirect(303, next)
  })

  router.post('/logout', async (request, response) => {
    const { user, device } = visitorOf(request)
    if (user && device) {
      const { headers } = await devices.logout(fromExpress(request))
      setHeaders(response, headers)
      renewCsrf(csrf, request, response, null)
    }
    response.redirect(303, '/login')
  })

  async function signIn(request: Request, response: Response, user: Account): Promise<void> {
    const { headers } = await devices.login(user, fromExpress(request), { transport: 'cookie' })
    setHeaders(response, headers)
    const previous = renewCsrf(csrf, request, response, user)
    if (previous) await editor.claim(previous, user)
  }

  return router
}

/** A new anonymous session at every change of user, so that nobody can plant one. Gives the old one. */
function renewCsrf(csrf: Csrf, request: Request, response: Response, user: Account | null): string | null {
  const { headers, previous } = csrf.rotate(fromExpress(request), user)
  setHeaders(response, headers)
  return previous
}

function showForm(response: Response, values: { username?: string; next: string; problem?: string }): void {
  response.render('login', { title: 'Sign in', password: DEMO_PASSWORD, ...values })
}

function credentials(request: Request): { username: string; password: string } {
  const { username, password } = (request.body ?? {}) as Record<string, unknown>
  return {
    username: typeof username === 'string' ? username : '',
    password: typeof password === 'string' ? password : '',
  }
}

/** Only a path of this site: `//host` and `/\host` would lead elsewhere. */
function safePath(value: unknown): string {
  return typeof value === 'string' && /^\/(?![/\\])/.test(value) ? value : '/'
}
