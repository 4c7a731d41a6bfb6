import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Router } from 'express'
import type { DemoParts } from '../parts.ts'

/** The folder with the modules of the token client. The page loads them without a bundler. */
export const tokenClientFiles: string = dirname(
  fileURLToPath(import.meta.resolve('@quillgate/trusted-devices-client/token-client')),
)

/**
 * Creates a page that signs in with bearer tokens, like a single-page application. The page shows
 * its requests.
 */
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
