import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

/** Starts a server that stores uploads in a directory. Returns its port. */
export type StartServer = (directory: string) => Promise<number>

/**
 * Quillgate with its defaults. Only the rate limit and the quota are off, because they would reject
 * the requests of the benchmark.
 */
export const ours = 'quillgate'
/**
 * A server with only `node:http`. It writes the body of the request to the disk, without a form,
 * checks or a ledger.
 */
export const bare = 'bare node:http'
/**
 * Libraries that read forms. The benchmark adds a sync, and a hash if the library computes none.
 * These libraries check no content and keep no ledger.
 */
export const peers: readonly string[] = ['multer', 'formidable', '@fastify/multipart']

/**
 * The start functions of the contenders. Each function loads its packages only when it is called,
 * so that the memory of one contender does not include the packages of others.
 */
export const servers: Readonly<Record<string, StartServer>> = {
  async [bare](directory) {
    const { storeSynced } = await import('./store-synced.ts')
    return listen(async (req, res) => {
      answer(res, await storeSynced(req, directory))
    })
  },

  async [ours](directory) {
    const { createMarkdownEditor } = await import('@quillgate/markdown-editor')
    const { localFiles } = await import('@quillgate/storage')
    const { createQuillgate } = await import('@quillgate/server')
    const { mount } = await import('@quillgate/server/node')
    const gate = createQuillgate({
      secret: 'a secret of thirty-two bytes, no less',
      database: `sqlite:${join(directory, 'ledger.sqlite')}`,
    })
    createMarkdownEditor(gate, {
      storage: localFiles(join(directory, 'media')),
      authenticate: ({ request }) =>
        request.headers.get('authorization') === 'Bearer ada' ? { id: 'ada' } : null,
      settings: { uploadRateLimit: null, ownerQuota: null },
    })
    await gate.ready()
    return listen(mount(gate))
  },

  async multer(directory) {
    const { default: express } = await import('express')
    const { default: multer } = await import('multer')
    const { storeSynced } = await import('./store-synced.ts')
    const storage: import('multer').StorageEngine = {
      _handleFile: (_req, file, done) => {
        storeSynced(file.stream, directory).then((filename) => done(null, { filename }), done)
      },
      _removeFile: (_req, _file, done) => done(null),
    }
    const app = express()
    app.post('/md-editor/upload', multer({ storage }).single('file'), (req, res) =>
      answer(res, req.file?.filename),
    )
    return listen(app)
  },

  async formidable(directory) {
    const { default: formidable } = await import('formidable')
    const { open } = await import('node:fs/promises')
    const { basename } = await import('node:path')
    const { publish } = await import('./store-synced.ts')
    return listen(async (req, res) => {
      // formidable writes and hashes the file. The sync follows afterwards.
      const filename = (): string => `.${randomUUID()}.part`
      const form = formidable({ uploadDir: directory, hashAlgorithm: 'sha256', filename })
      const [, { file: [file] = [] }] = await form.parse(req)
      if (!file) throw new Error('formidable found no file.')
      const written = await open(file.filepath)
      await written.sync()
      await written.close()
      await publish(file.filepath, directory, basename(file.filepath).slice(1, -'.part'.length))
      answer(res, file.hash)
    })
  },

  async '@fastify/multipart'(directory) {
    const { default: fastify } = await import('fastify')
    const { default: multipart } = await import('@fastify/multipart')
    const { storeSynced } = await import('./store-synced.ts')
    const app = fastify({ bodyLimit: Number.MAX_SAFE_INTEGER })
    await app.register(multipart, { limits: { fileSize: Number.MAX_SAFE_INTEGER } })
    app.post('/md-editor/upload', async (request, reply) => {
      const part = await request.file()
      if (!part) throw new Error('@fastify/multipart found no file.')
      reply.code(201)
      return { sha256: await storeSynced(part.file, directory) }
    })
    await app.listen({ port: 0, host: '127.0.0.1' })
    return portOf(app.server)
  },
}

export async function startServer(name: string, directory: string): Promise<number> {
  const start = servers[name]
  if (!start) throw new RangeError(`There is no server "${name}".`)
  await mkdir(directory, { recursive: true })
  return start(directory)
}

async function listen(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return portOf(server)
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

function answer(res: import('node:http').ServerResponse, sha256: unknown): void {
  res.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify({ sha256 }))
}
