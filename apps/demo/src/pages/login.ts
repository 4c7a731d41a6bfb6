import { QuillgateError } from '@quillgate/server/core'
import { type Request, type Response, Router } from 'express'
import { type Account, DEMO_PASSWORD, verifyPassword } from '../accounts.ts'
import { createForms, fieldOf } from '../forms.ts'
import type { DemoParts } from '../parts.ts'
import { visitorOf } from '../visitor.ts'

export function loginRoutes({ devices, editor, gate }: DemoParts): Router {
  const forms = createForms(gate)
  const router = Router()

  router.get('/login', (request, response) => {
    if (visitorOf(request).user) return response.redirect(303, '/')
    showForm(response, { next: safePath(request.query['next']) })
  })

  router.post('/login', forms.small, async (request: Request, response: Response) => {
    const username = fieldOf(request, 'username')
    const next = safePath(fieldOf(request, 'next'))
    const refuse = (status: number, problem: string): void => {
      response.status(status)
      showForm(response, { username, next, problem })
    }
    try {
      const verify = (): Account | null => verifyPassword(username, fieldOf(request, 'password'))
      const user = await devices.guardLogin(request, username, verify)
      if (!user) return refuse(401, 'This user name and password do not match.')
      await devices.login(user, request)
      await editor.claim(request, user)
      response.redirect(303, next)
    } catch (error) {
      if (!(error instanceof QuillgateError) || error.status >= 500) throw error
      response.set(error.headers)
      refuse(
        error.status,
        error.code === 'rate_limited' ? 'Too many attempts. Wait, then try again.' : error.detail,
      )
    }
  })

  router.post('/logout', forms.small, async (request: Request, response: Response) => {
    await devices.logout(request)
    response.redirect(303, '/login')
  })

  return router
}

function showForm(
  response: Response,
  values: { username?: string; next: string; problem?: string },
): void {
  response.render('login', { title: 'Sign in', password: DEMO_PASSWORD, ...values })
}

/** Browsers treat `//host` and `/\host` as other sites. */
function safePath(value: unknown): string {
  return typeof value === 'string' && /^\/(?![/\\])/.test(value) ? value : '/'
}
