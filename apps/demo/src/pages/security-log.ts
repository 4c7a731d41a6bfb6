import { Router } from 'express'
import type { DemoParts } from '../parts.ts'
import { eventToSentence, listEvents, timeOf } from '../security-log.ts'
import { requireVisitor } from '../sign-in-needed.ts'

export function securityLogRoutes({ database }: DemoParts): Router {
  const router = Router()
  router.get('/security-log', async (request, response) => {
    const { user } = requireVisitor(request)
    const events = (await listEvents(database, user.id)).reverse().map((event) => ({
      signal: event.signal_name,
      sentence: eventToSentence(event),
      at: timeOf(event),
    }))
    response.render('security-log', { title: 'Security log', events })
  })
  return router
}
