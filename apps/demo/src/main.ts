import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { csrf, devices, editor, network } from '../quillgate.config.ts'
import { createApp } from './app.ts'
import { migrateDemo } from './database.ts'
import { database, environment } from './foundation.ts'

await migrateDemo(database)
await Promise.all([devices.ready(), editor.ready()])

const server = createServer(
  createApp({ csrf, database, devices, editor, network, loginRateLimit: environment.loginRateLimit }),
)

server.once('error', (error: NodeJS.ErrnoException) => {
  console.error(
    error.code === 'EADDRINUSE'
      ? `Port ${environment.port} is taken: set PORT to another one, or to 0.`
      : error.message,
  )
  process.exit(1)
})

server.listen(environment.port, environment.host, () => {
  const { port } = server.address() as AddressInfo
  const host = ['127.0.0.1', '::1', '0.0.0.0', '::'].includes(environment.host) ? 'localhost' : environment.host
  console.log(`Quillgate demo ready at http://${host}:${port}`)
})

const stop = (): void => {
  server.close(async () => {
    await Promise.all([devices.close(), editor.close()])
    await database.close()
  })
  server.closeIdleConnections()
}
process.once('SIGINT', stop)
process.once('SIGTERM', stop)
