import { Buffer } from 'node:buffer'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { mount } from '@quillgate/server/node'
import { sqliteEngine } from '@quillgate/server/testing'
import { BearerClient } from '../../support/client.ts'
import { expectDocumented } from '../../support/documented.ts'
import { type House, openHouse } from '../../support/house.ts'

export interface HostileRequest {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly anonymous?: boolean
  readonly chunked?: boolean
}

/**
 * `outcome` is, for example, `400 invalid_request`. It is only the status for a success, for HEAD,
 * and if Node's HTTP server rejects the request.
 */
export interface HostileAnswer {
  readonly outcome: string
  readonly status: number
  readonly raw: string
}

/** A real HTTP server with devices of the users ada and grace. */
export interface HostileServer {
  readonly house: House
  /** Ada's client, which sends the requests. */
  readonly client: BearerClient
  /** Grace's client. */
  readonly other: BearerClient
  /** Unexpected errors: log entries, unhandled rejections and exceptions. */
  readonly problems: unknown[]
  send(request: HostileRequest): Promise<HostileAnswer>
  /** Sends bytes, and waits until the connection ends. */
  sendRaw(pieces: readonly (string | Uint8Array)[], ends?: 'server' | 'client'): Promise<string>
  rows(): Promise<string>
  close(): Promise<void>
}

/** Opens the server. Its clock does not advance, so nothing changes by itself. */
export async function openHostileServer(): Promise<HostileServer> {
  const problems: unknown[] = []
  const record = (problem: unknown): void => void problems.push(problem)
  const house = await openHouse(
    sqliteEngine(),
    {},
    { logger: { warn: record, error: (...what) => record(what) } },
  )
  const client = new BearerClient(house.devices)
  const other = new BearerClient(house.devices)
  await client.login('ada')
  await other.login('grace')
  await client.send('GET', '/trusted-devices') // This first use confirms that the token arrived.
  const server = createServer(
    { requestTimeout: 1500, headersTimeout: 1500, connectionsCheckingInterval: 100 },
    mount(house.devices.gate),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  process.on('unhandledRejection', record).on('uncaughtExceptionMonitor', record)
  return {
    ...{ house, client, other, problems },
    async send(request) {
      const raw = await exchange(port, bytesOf(request, client.access))
      const answer = await parse(raw, request)
      const web = answer.response && webRequest(request)
      if (web) await expectDocumented(house.devices, web, answer.response)
      return { outcome: answer.outcome, status: answer.status, raw: raw.toString('latin1') }
    },
    sendRaw: async (pieces, ends = 'server') =>
      (await exchange(port, pieces, ends)).toString('latin1'),
    async rows() {
      const tables = await house.sql.query(
        "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name",
      )
      const all = []
      for (const { name } of tables)
        all.push([name, await house.sql.query(`SELECT * FROM "${String(name)}"`)])
      return JSON.stringify(all)
    },
    async close() {
      process.off('unhandledRejection', record).off('uncaughtExceptionMonitor', record)
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
      await house.close()
    },
  }
}

function bytesOf(
  { method, path, headers = {}, body, anonymous, chunked }: HostileRequest,
  access: string,
) {
  const bytes = body === undefined ? null : Buffer.from(body as string)
  const framing = chunked
    ? { 'transfer-encoding': 'chunked' }
    : { 'content-length': String(bytes?.length ?? 0) }
  const all = {
    host: 'localhost',
    connection: 'close',
    ...(anonymous ? {} : { authorization: `Bearer ${access}` }),
    ...(bytes ? { 'content-type': 'application/json', ...framing } : {}),
    ...headers,
  }
  const lines = Object.entries(all)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}: ${value}\r\n`)
  const head = Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1')
  if (!bytes) return [head]
  if (!chunked) return [head, bytes]
  const pieces: Uint8Array[] = [head]
  for (let start = 0; start < bytes.length; start += 4096) {
    const piece = bytes.subarray(start, start + 4096)
    pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'))
  }
  return [...pieces, Buffer.from('0\r\n\r\n')]
}

async function exchange(
  port: number,
  pieces: readonly (string | Uint8Array)[],
  ends: 'server' | 'client' = 'server',
): Promise<Buffer> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const received: Buffer[] = []
  // If the server responds before the end of the request, the connection may end with a reset. The
  // received bytes are still used.
  socket.on('error', () => {}).on('data', (chunk) => received.push(chunk))
  const closed = once(socket, 'close').catch(() => {})
  await once(socket, 'connect')
  for (const piece of pieces) {
    if (!socket.writable) break
    socket.write(piece)
  }
  if (ends === 'client') socket.destroySoon()
  await closed
  return Buffer.concat(received)
}

async function parse(raw: Buffer, request: HostileRequest) {
  const end = raw.indexOf('\r\n\r\n')
  const [statusLine = '', ...lines] = raw.subarray(0, end).toString('latin1').split('\r\n')
  const status = Number(statusLine.split(' ')[1])
  const headers = new Headers(
    lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  )
  const type = headers.get('content-type')
  // Node's own responses to invalid HTTP have no content type. Responses of Quillgate have a
  // content type, except 204.
  if (type === null) return { outcome: String(status), status, response: null }
  const body = raw.subarray(end + 4)
  const text = headers.get('transfer-encoding') === 'chunked' ? unchunk(body) : body.toString()
  headers.delete('transfer-encoding')
  headers.delete('content-length')
  const isProblem = type === 'application/problem+json' && request.method !== 'HEAD'
  const outcome = isProblem
    ? `${status} ${(JSON.parse(text) as { code: string }).code}`
    : String(status)
  return { outcome, status, response: new Response(text === '' ? null : text, { status, headers }) }
}

function unchunk(body: Buffer): string {
  const chunks: Buffer[] = []
  for (let position = 0; position < body.length; ) {
    const lineEnd = body.indexOf('\r\n', position)
    const length = Number.parseInt(body.toString('latin1', position, lineEnd), 16)
    if (!(length > 0)) break
    chunks.push(body.subarray(lineEnd + 2, lineEnd + 2 + length))
    position = lineEnd + 4 + length
  }
  return Buffer.concat(chunks).toString()
}

function webRequest({ method, path }: HostileRequest): Request | null {
  try {
    return new Request(new URL(path, 'http://localhost'), { method })
  } catch {
    return null
  }
}
