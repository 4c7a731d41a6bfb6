import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request,
  type Server,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json, text } from 'node:stream/consumers'
import { mount } from '@quillgate/server/node'
import { localFiles } from '@quillgate/storage'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { gateOf } from '../../../server/test/support/test-gate.ts'
import { PNG } from '../media/upload/samples.ts'
import { type OpenRoutes, openRoutes } from './open-routes.ts'

const MiB = 1024 * 1024

let directory: string
let editor: OpenRoutes
let server: Server
let port: number

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quillgate-node-'))
  editor = await openRoutes({ storage: localFiles(directory) })
  server = createServer(mount(gateOf(editor.handler))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})

afterEach(async () => {
  server.closeAllConnections()
  server.close()
  await editor.close()
  await rm(directory, { recursive: true })
})

async function filesOnDisk(): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
}

/** The start of a PNG. Any number of bytes may follow as its pixels. */
const BIG_PNG = Buffer.concat([
  PNG.subarray(0, 33),
  Buffer.from('7fffffff', 'hex'),
  Buffer.from('IDAT'),
])

function beginUpload(): ClientRequest {
  const sending = request({
    port,
    method: 'POST',
    path: '/md-editor/upload',
    headers: { authorization: 'Bearer ada', 'content-type': 'multipart/form-data; boundary=x' },
  })
  sending.write(
    '--x\r\ncontent-disposition: form-data; name="file"; filename="big.png"\r\ncontent-type: image/png\r\n\r\n',
  )
  sending.write(BIG_PNG)
  return sending
}

/** Stops early if a response arrives. @returns the number of written bytes */
async function send(sending: ClientRequest, bytes: number): Promise<number> {
  const chunk = Buffer.alloc(256 * 1024)
  let answered = false
  let wake = (): void => {}
  sending.on('drain', () => wake())
  sending.on('response', () => {
    answered = true
    wake()
  })
  let written = 0
  while (written < bytes && !answered) {
    const drained = new Promise<void>((resolve) => {
      wake = resolve
    })
    if (!sending.write(chunk)) await drained
    written += chunk.byteLength
  }
  return written
}

async function get(path: string, headers = {}, method = 'GET'): Promise<IncomingMessage> {
  const [response] = (await once(request({ port, path, headers, method }).end(), 'response')) as [
    IncomingMessage,
  ]
  return response
}

describe('the endpoints on node:http', () => {
  it('stream a large file', async () => {
    const sending = beginUpload()
    const response = once(sending, 'response') as Promise<[IncomingMessage]>
    await send(sending, 20 * MiB)
    sending.end('\r\n--x--\r\n')
    const [answer] = await response
    expect(answer.statusCode).toBe(201)
    const { url } = (await json(answer)) as { url: string }
    const head = await get(url, {}, 'HEAD')
    expect(head.headers['content-length']).toBe(String(BIG_PNG.byteLength + 20 * MiB))
    expect(await text(head)).toBe('')
    const part = await get(url, { range: 'bytes=0-7' })
    expect([part.statusCode, part.headers['content-range']]).toEqual([
      206,
      `bytes 0-7/${BIG_PNG.byteLength + 20 * MiB}`,
    ])
    expect(Buffer.from(await text(part.setEncoding('latin1')), 'latin1')).toEqual(
      PNG.subarray(0, 8),
    )
  })

  it('stop a 60 MB upload at the limit of 50 MiB, with nothing left on disk', async () => {
    const sending = beginUpload()
    sending.on('error', () => {}) // The server may close the connection before everything is sent.
    const response = once(sending, 'response') as Promise<[IncomingMessage]>
    const written = await send(sending, 60_000_000)
    const [answer] = await response
    expect(answer.statusCode).toBe(413)
    expect(await json(answer)).toMatchObject({ code: 'file_too_large' })
    expect(written).toBeGreaterThan(50 * MiB - 10 * 256 * 1024)
    sending.destroy()
    expect(await filesOnDisk()).toEqual([])
    expect(await editor.ledger.usage('user:ada')).toBe(0)
  })

  it('leave nothing on disk when the client disconnects', async () => {
    const begun: string[] = []
    const begin = editor.ledger.begin.bind(editor.ledger)
    editor.ledger.begin = (medium) => {
      begun.push(medium.id)
      return begin(medium)
    }
    const sending = beginUpload()
    sending.on('error', () => {})
    await send(sending, 3 * MiB)
    await expect.poll(filesOnDisk).toHaveLength(1)
    sending.destroy()
    await expect.poll(() => editor.ledger.get(begun[0] ?? '')).toBeNull()
    expect(await filesOnDisk()).toEqual([])
  })

  it('leave nothing on disk when the client disconnects before the end of the form', async () => {
    const sending = beginUpload()
    sending.on('error', () => {})
    sending.write('\r\n--x\r\ncontent-disposition: form-data; name="y"\r\n\r\nand then')
    await expect.poll(filesOnDisk).toEqual([expect.stringMatching(/^m[0-9a-z]{26}-big\.png$/)])
    sending.destroy()
    await expect.poll(filesOnDisk).toEqual([])
  })
})
