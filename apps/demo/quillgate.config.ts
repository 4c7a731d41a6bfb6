// Creates the application object and both components, for the server and for these commands:
//   npx markdown-editor sweep --config apps/demo/quillgate.config.ts
//   npx trusted-devices list --config apps/demo/quillgate.config.ts

import { createLoginAlerts } from '@quillgate/login-alerts'
import { createMarkdownEditor } from '@quillgate/markdown-editor'
import { createQuillgate } from '@quillgate/server'
import { createTrustedDevices, fromHeaders } from '@quillgate/trusted-devices'
import { type Account, verifyPassword } from './src/accounts.ts'
import { alertOptions } from './src/alerts.ts'
import { database, environment } from './src/foundation.ts'
import { postRecords } from './src/posts.ts'
import { findNamedAccount } from './src/profiles.ts'
import { mediaStorage } from './src/storage.ts'

declare module '@quillgate/trusted-devices' {
  interface Register {
    user: Account
  }
}

const { secret, countryHeader } = environment
// The country header is read only from a trusted proxy. In the demo, every proxy on this machine is
// trusted.
const trustedProxies = countryHeader ? ['127.0.0.0/8', '::1/128'] : []

export const gate = createQuillgate({ secret, database: database.kysely, trustedProxies })

export const devices = createTrustedDevices(gate, {
  users: { findById: (id) => findNamedAccount(database, id), verifyCredentials: verifyPassword },
  ...(countryHeader ? { locate: fromHeaders(countryHeader) } : {}),
  receivers: () => import('./src/receivers.ts'),
  settings: {
    maxDevices: environment.maxDevices,
    loginRateLimit: environment.loginRateLimit,
    outbox: true,
  },
})

createLoginAlerts(devices, alertOptions)

export const editor = createMarkdownEditor<Account>(gate, {
  storage: mediaStorage(environment),
  settings: {
    orphanGrace: environment.orphanGrace,
    uploadRateLimit: environment.uploadRateLimit,
    ...(environment.tempMaxAge === undefined ? {} : { tempMaxAge: environment.tempMaxAge }),
    // The demo stores the references of every text. So files that no text has ever referenced can
    // be deleted.
    unsavedGrace: environment.unsavedGrace ?? 7 * 86_400,
  },
})

/** Yields all posts for `npx markdown-editor reindex`. */
export const records = () => postRecords(database)
