// Starts one of several nodes. All nodes have the same environment variables.

import { createMarkdownEditor } from '@quillgate/markdown-editor'
import { createQuillgate } from '@quillgate/server'
import { mount } from '@quillgate/server/express'
import { s3FromUrl } from '@quillgate/storage/s3'
import { createTrustedDevices } from '@quillgate/trusted-devices'
import express from 'express'
import { Redis } from 'ioredis'
import { RateLimiterRedis } from 'rate-limiter-flexible'
import { findUser, secret } from './application.ts'

const {
  DATABASE_URL = 'postgres://app@db/app',
  REDIS_URL = 'redis://redis',
  STORAGE_URL = 's3://media?region=eu-central-1',
  PUBLIC_ORIGIN = 'https://example.com',
} = process.env
const redis = new Redis(REDIS_URL)
redis.on('error', (error) => console.warn('Redis:', error.message))

export const gate = createQuillgate({
  secret,
  database: DATABASE_URL,
  publicOrigin: PUBLIC_ORIGIN,
  trustedProxies: ['10.0.0.0/8', '127.0.0.1', '::1'], // the addresses of your load balancer
  rateLimiter: new RateLimiterRedis({
    storeClient: redis,
    rejectIfRedisNotReady: true,
    ...{ points: 1, duration: 1 }, // required, but not used by Quillgate
  }),
})
export const devices = createTrustedDevices(gate, { users: { findById: findUser } })
export const editor = createMarkdownEditor(gate, { storage: s3FromUrl(STORAGE_URL) })

export const app = express()
app.use(mount(gate))
app.get('/health', async (_req, res) => {
  await gate.ready() // connects to the database, and creates the tables
  res.send('ok')
})
// Your own routes follow, as in express.ts.
if (import.meta.main) app.listen(process.env['PORT'] ?? 3000)
