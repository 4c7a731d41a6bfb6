import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Router } from 'express'
import type { DemoParts } from '../parts.ts'

/** The modules of the token client, as the package has them: a page without a bundler. */
export const tokenClientFiles: string = dirname(
  fileURLToPath(import.meta.resolve('@quillgate/trusted-devices-client/token-client')),
)

/** A page that signs in with bearer tokens, as a single-page application does, and shows its requests. */
export function tokenClientRoutes({ devices }: DemoParts): Router {
  const router = Router()
  router.get('/token-client', (_request, response) => {
    response.render('token-client', {
      title: 'Token client',
      urls: {
        openApi: devices.url('openApi'),
        token: devices.url('token'),
        list: devices.url('list'),
      },
    })
  })
  return router
}
