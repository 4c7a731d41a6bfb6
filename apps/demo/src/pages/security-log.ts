import { Router } from 'express'
import type { DemoParts } from '../parts.ts'
import { listEvents } from '../security-log.ts'
import { requireVisitor } from '../sign-in-needed.ts'

/** The page with the events of this user, newest first. */
export function securityLogRoutes({ database }: DemoParts): Router {
  const router = Router()
  router.get('/security-log', async (request, response) => {
    const { user } = requireVisitor(request)
    const events = await listEvents(database, user.id)
    response.render('security-log', { title: 'Security log', events: events.reverse() })
  })
  return router
}
