import { Buffer } from 'node:buffer'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { localFiles } from '@quillgate/markdown-editor'
import { openDatabase } from '@quillgate/server/database'
import { mount } from '@quillgate/server/node'
import { createFakeClock, type FakeClock } from '@quillgate/server/testing'
import { expect, onTestFailed } from 'vitest'
import { createTestCsrf } from '../../../../server/test/support/test-csrf.ts'
import { createEditor, type TestMarkdownEditor } from '../../create-editor.ts'
import { type Accepted, GOOD, type HostileCase, post } from './hostile-case.ts'

const secret = 'a secret of at least thirty-two bytes'
const csrf = createTestCsrf({ secret })

export function openSession(user: string): { readonly cookie: string; readonly token: string } {
  const issued = csrf.issue({ request: new Request('http://example.com/') }, { id: user })
  return {
    token: issued.token,
    cookie: `user=${user}; ${issued.headers.getSetCookie()[0]?.split(';')[0] ?? ''}`,
  }
}

/** The maximum file size in bytes. It is small so that tests of the limit are fast. */
export const MAX_UPLOAD_SIZE = 64 * 1024

/** `status` is null if the connection closed before the end of the headers. */
export interface Answer {
  readonly status: number | null
  readonly headers: Headers
  readonly body: Buffer
}

/** A server with files on disk. Users sign in with `Bearer <id>` or the cookie `user=<id>`. */
export interface HostileServer {
  readonly editor: TestMarkdownEditor
  readonly clock: FakeClock
  /** Unexpected log messages, unhandled rejections and uncaught exceptions. */
  readonly problems: unknown[]
  /** Sends the pieces over a new connection and parses the response when the connection closes. */
  exchange(
    pieces: readonly (string | Uint8Array)[],
    afterSending?: HostileCase['afterSending'],
  ): Promise<Answer>
  exchangeRaw(pieces: readonly (string | Uint8Array)[]): Promise<Buffer>
  /** Returns the names of all files on disk, except for the marker file of the installation. */
  files(): Promise<string[]>
  /** Removes all files and recorded problems. */
  clear(): Promise<void>
  /** Returns the number of ledger rows by state. */
  states(): Promise<Record<string, number>>
  close(): Promise<void>
}

export async function openHostileServer(): Promise<HostileServer> {
  const directory = await mkdtemp(join(tmpdir(), 'quillgate-hostile-'))
  const problems: unknown[] = []
  const record = (problem: unknown): void => void problems.push(problem)
  const database = openDatabase('sqlite::memory:')
  const clock = createFakeClock()
  const editor = createEditor({
    ...{ secret, clock, database: database.kysely },
    storage: localFiles(directory),
    authenticate: ({ request: { headers } }) => {
      const id = /^Bearer (\w+)$/.exec(headers.get('authorization') ?? '')?.[1]
      const signedIn = /(?:^|; )user=(\w+)/.exec(headers.get('cookie') ?? '')?.[1]
      return id !== undefined ? { id } : signedIn !== undefined ? { id: signedIn } : null
    },
    settings: { uploadRateLimit: null, maxUploadSize: MAX_UPLOAD_SIZE },
    logger: {
      // Warnings about rejected CSRF tokens are expected.
      warn: (line) => (line.includes('CSRF') ? undefined : record(line)),
      error: (...args: unknown[]) => record(args),
    },
  })
  await editor.ready()
  const server = createServer(
    // Short timeouts keep the tests of stalled clients fast.
    { requestTimeout: 1500, headersTimeout: 1500, connectionsCheckingInterval: 100 },
    mount(editor.gate),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  process.on('unhandledRejection', record).on('uncaughtExceptionMonitor', record)

  return {
    ...{ editor, clock, problems },
    exchange: async (pieces, afterSending) =>
      parseAnswer(await exchange(port, pieces, afterSending)),
    exchangeRaw: (pieces) => exchange(port, pieces),
    async files() {
      const entries = await readdir(directory, { recursive: true, withFileTypes: true })
      const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name)
      return names.filter((name) => name !== 'quillgate-installation.txt')
    },
    async clear() {
      problems.length = 0
      await rm(join(directory, 'md-editor'), { recursive: true, force: true })
    },
    async states() {
      const rows = await database
        .executor(database.kysely)
        .query('SELECT state, count(*) AS number FROM quillgate_media GROUP BY state')
      return Object.fromEntries(rows.map(({ state, number }) => [String(state), Number(number)]))
    },
    async close() {
      process.off('unhandledRejection', record).off('uncaughtExceptionMonitor', record)
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
      await editor.close()
      await database.close()
      await rm(directory, { recursive: true })
    },
  }
}

/** An accepted file is removed afterwards. */
export async function expectOutcome(server: HostileServer, test: HostileCase): Promise<void> {
  const answer = await server.exchange(test.request, test.afterSending)
  onTestFailed(() => server.clear())
  if (test.expect === 'closed') {
    // The server may still be processing the last bytes when the connection closes.
    await expect.poll(() => server.files(), { timeout: 10_000 }).toEqual([])
  } else if ('code' in test.expect) {
    expect({ status: answer.status, code: codeOf(answer) }).toEqual(test.expect)
    expect(await server.files()).toEqual([])
  } else {
    await expectFile(server, answer, test.expect)
  }
  expect(server.problems).toEqual([])
}

export async function expectHealthy(server: HostileServer): Promise<void> {
  const expected = {
    status: 201,
    name: 'a.txt',
    key: 'a.txt',
    type: 'text/plain',
    bytes: 'hello',
  } as const
  await expectOutcome(server, { name: 'a valid upload', request: [post(GOOD)], expect: expected })
}

async function expectFile(
  server: HostileServer,
  answer: Answer,
  expected: Accepted,
): Promise<void> {
  expect(`${answer.status} ${answer.body}`).toMatch(/^201 \{/)
  const { url, name, type } = JSON.parse(answer.body.toString()) as Record<
    'url' | 'name' | 'type',
    string
  >
  const [, id = '', key = ''] =
    /^\/media\/md-editor\/tmp\/(m[0-9a-z]{26})-([^/?#]+)$/.exec(url) ?? []
  const {
    name: wantedName = name,
    type: wantedType = type,
    key: wantedKey = decodeURIComponent(key),
  } = expected
  expect({ name, type, key: decodeURIComponent(key) }).toEqual({
    name: wantedName,
    type: wantedType,
    key: wantedKey,
  })
  const served = await server.exchange([
    `GET ${url} HTTP/1.1\r\nhost: example.com\r\nconnection: close\r\n\r\n`,
  ])
  expect(served.status).toBe(200)
  expect(served.headers.get('x-content-type-options')).toBe('nosniff')
  expect(served.headers.get('content-security-policy')).toContain('sandbox')
  expect(served.headers.get('content-type')?.split(';')[0]).toBe(type)
  if (!/^(?:image|video|audio)\//.test(type))
    expect(served.headers.get('content-disposition')).toMatch(/^attachment;/)
  if (expected.bytes !== undefined)
    expect(served.body).toEqual(Buffer.from(expected.bytes as string))
  if (expected.without !== undefined)
    expect(served.body.toString('latin1')).not.toContain(expected.without)
  expect(await server.files()).toHaveLength(1)
  expect(await server.editor.media.remove(id)).toBe(true)
  expect(await server.files()).toEqual([])
}

function codeOf({ headers, body }: Answer): string | null {
  if (headers.get('content-type') !== 'application/problem+json') return null
  return (JSON.parse(body.toString()) as { code: string }).code
}

async function exchange(
  port: number,
  pieces: readonly (string | Uint8Array)[],
  afterSending?: HostileCase['afterSending'],
): Promise<Buffer> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const received: Buffer[] = []
  // After an early response, the server may reset the connection. The response is still valid.
  socket.on('error', () => {}).on('data', (chunk) => received.push(chunk))
  const closed = once(socket, 'close').catch(() => {})
  await once(socket, 'connect')
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) await new Promise(setImmediate)
    if (!socket.writable) break
    socket.write(piece)
  }
  if (afterSending === 'half-close') socket.end()
  if (afterSending === 'disconnect') socket.destroySoon()
  if (afterSending === 'half-close-later') setTimeout(() => socket.end(), 200).unref()
  await closed
  return Buffer.concat(received)
}

function parseAnswer(raw: Buffer): Answer {
  const isInterim = raw.subarray(0, 12).toString('latin1') === 'HTTP/1.1 100'
  if (isInterim) return parseAnswer(raw.subarray(raw.indexOf('\r\n\r\n') + 4))
  const end = raw.indexOf('\r\n\r\n')
  if (end === -1) return { status: null, headers: new Headers(), body: raw }
  const [statusLine = '', ...lines] = raw.subarray(0, end).toString('latin1').split('\r\n')
  const headers = new Headers(
    lines.map((line): [string, string] => [
      line.slice(0, line.indexOf(':')),
      line.slice(line.indexOf(':') + 2),
    ]),
  )
  const body = raw.subarray(end + 4)
  const isChunked = headers.get('transfer-encoding') === 'chunked'
  return {
    status: Number(statusLine.split(' ')[1]),
    headers,
    body: isChunked ? unchunk(body) : body,
  }
}

function unchunk(body: Buffer): Buffer {
  const chunks: Buffer[] = []
  for (let position = 0; position < body.length; ) {
    const lineEnd = body.indexOf('\r\n', position)
    const length = Number.parseInt(body.toString('latin1', position, lineEnd), 16)
    if (!(length > 0)) break
    chunks.push(body.subarray(lineEnd + 2, lineEnd + 2 + length))
    position = lineEnd + 2 + length + 2
  }
  return Buffer.concat(chunks)
}
