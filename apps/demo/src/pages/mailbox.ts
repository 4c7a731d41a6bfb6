import { serverError } from '@quillgate/server/core'
import { type Request, Router } from 'express'
import { findMail, type KeptMail, listMails } from '../mailbox.ts'
import type { DemoParts } from '../parts.ts'
import { requireVisitor } from '../sign-in-needed.ts'

// The Content Security Policy for the HTML of a mail. It forbids scripts and requests. Links open
// outside the frame.
const MAIL_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; base-uri 'none'; sandbox allow-top-navigation-by-user-activation"

/** A real application would send the mails. */
export function mailboxRoutes({ database }: DemoParts): Router {
  const router = Router()

  router.get('/mailbox', async (request, response) => {
    const { user } = requireVisitor(request)
    response.render('mailbox', { title: 'Mailbox', mails: await listMails(database, user.id) })
  })

  router.get('/mailbox/:id', async (request, response) => {
    const mail = await requireMail(request)
    const policy = String(response.get('content-security-policy')).replace(
      /frame-src [^;]*/,
      "frame-src 'self'",
    )
    response.set('content-security-policy', policy)
    response.render('mail', { title: mail.subject, mail })
  })

  router.get('/mailbox/:id/html', async (request, response) => {
    const { html } = await requireMail(request)
    response.set('content-security-policy', MAIL_POLICY)
    response.type('html').send(html.replace('<head>', '<head><base target="_top">'))
  })

  async function requireMail(request: Request): Promise<KeptMail> {
    const { user } = requireVisitor(request)
    const mail = await findMail(database, user.id, String(request.params['id']))
    if (!mail) throw serverError('not_found', 'There is no mail at this address.')
    return mail
  }

  return router
}
