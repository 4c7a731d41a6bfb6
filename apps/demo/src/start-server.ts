import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { devices, editor, gate } from '../quillgate.config.ts'
import { setAlertOrigin } from './alerts.ts'
import { createApp } from './app.ts'
import { migrateDemo } from './database.ts'
import { database, environment } from './foundation.ts'

export async function startServer(): Promise<void> {
  await migrateDemo(database)
  await gate.ready()
  // At the first start, there are no files. This call then lets `unsavedGrace` take effect. Later
  // starts need no records, because every post is saved together with its references.
  await editor.references.rebuild([])

  const server = createServer(createApp({ database, devices, editor, gate }))
  const { port, host } = environment
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? new Error(
              `port ${port} is in use. Set PORT to another port, or to 0 for any free port.`,
            )
          : error,
      )
    })
    server.listen(port, host, resolve)
  })
  const shown = ['127.0.0.1', '::1', '0.0.0.0', '::'].includes(host) ? 'localhost' : host
  const origin = `http://${shown}:${(server.address() as AddressInfo).port}`
  setAlertOrigin(origin)
  console.log(`Quillgate demo ready at ${origin}`)

  const stop = (): void => {
    server.close(async () => {
      await gate.close()
      await database.close()
    })
    server.closeIdleConnections()
  }
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
}
