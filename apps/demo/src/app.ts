import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defaultPolicy } from '@quillgate/markdown'
import { registerLiquid } from '@quillgate/markdown-editor/templates/liquid'
import { mount } from '@quillgate/server/express'
import express, { type Express, type Response } from 'express'
import { Liquid } from 'liquidjs'
import { apiRoutes } from './api.ts'
import { notFound, showError } from './errors.ts'
import { environment } from './foundation.ts'
import { accountRoutes } from './pages/account.ts'
import { deviceRoutes } from './pages/devices.ts'
import { guideRoutes } from './pages/guides.ts'
import { loginRoutes } from './pages/login.ts'
import { mailboxRoutes } from './pages/mailbox.ts'
import { postRoutes } from './pages/posts.ts'
import { securityLogRoutes } from './pages/security-log.ts'
import { tokenClientFiles, tokenClientRoutes } from './pages/token-client.ts'
import type { DemoParts } from './parts.ts'
import { PostStore } from './posts.ts'
import { securityHeaders } from './security-headers.ts'
import { readVisitor } from './visitor.ts'

const markdownStyles = fileURLToPath(import.meta.resolve('@quillgate/markdown/markdown.css'))

export function createApp(parts: DemoParts): Express {
  const root = join(import.meta.dirname, '..')
  const posts = new PostStore(parts.database, parts.editor)
  const liquid = new Liquid({
    root: join(root, 'views'),
    extname: '.liquid',
    outputEscape: 'escape',
    cache: true,
  })
  registerLiquid(liquid, { renderer: parts.editor.renderer })

  const app = express()
  app.disable('x-powered-by')
  app.engine('liquid', liquid.express())
  app.set('views', join(root, 'views'))
  app.set('view engine', 'liquid')
  // Every page loads these scripts, because they delete the drafts when the user signs out.
  app.locals['editorScripts'] = parts.editor.widget().assets.js

  // Quillgate's endpoints must come before body parsers, because the endpoints read the bodies.
  app.use(mount(parts.gate))
  const files = { maxAge: '5m', index: false, setHeaders: noSniff }
  app.use('/static', express.static(join(root, 'public'), files))
  app.use('/static/markdown.css', express.static(markdownStyles, files))
  app.use('/static/token-client', express.static(tokenClientFiles, files))
  app.use(securityHeaders(defaultPolicy.embeds.map(({ host }) => host)))
  app.use('/api', apiRoutes({ ...parts, posts, renderRateLimit: environment.renderRateLimit }))
  app.use(readVisitor(parts))
  app.use(loginRoutes(parts))
  app.use(postRoutes({ ...parts, posts }))
  app.use(guideRoutes(parts))
  app.use(deviceRoutes(parts))
  app.use(securityLogRoutes(parts))
  app.use(mailboxRoutes(parts))
  app.use(accountRoutes(parts))
  app.use(tokenClientRoutes(parts))
  app.use(notFound)
  app.use(showError)
  return app
}

const noSniff = (response: Response): void => {
  response.set('x-content-type-options', 'nosniff')
}
