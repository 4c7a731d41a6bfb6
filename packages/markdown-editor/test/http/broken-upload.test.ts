import { once } from 'node:events'
import { type FileHandle, mkdtemp, open, readdir, readlink, rm } from 'node:fs/promises'
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
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { mount } from '@quillgate/server/node'
import { localFiles } from '@quillgate/storage'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { gateOf } from '../../../server/test/support/test-gate.ts'
import { type OpenRoutes, openRoutes } from './open-routes.ts'

let directory: string
let editor: OpenRoutes
let server: Server
let rejections: unknown[]
const onRejection = (reason: unknown): void => void rejections.push(reason)

beforeEach(async () => {
  rejections = []
  process.on('unhandledRejection', onRejection)
  directory = await mkdtemp(join(tmpdir(), 'quillgate-broken-'))
  editor = await openRoutes({ storage: localFiles(directory) })
  server = createServer(mount(gateOf(editor.handler))).listen(0, '127.0.0.1')
  await once(server, 'listening')
})

afterEach(async () => {
  vi.restoreAllMocks()
  server.closeAllConnections()
  server.close()
  await editor.close()
  await rm(directory, { recursive: true })
  process.off('unhandledRejection', onRejection)
  expect(rejections).toEqual([])
})

const HEAD =
  '--x\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\ncontent-type: text/plain\r\n\r\n'
const TAIL = '\r\n--x--\r\n'

/** The test writes the body. */
function begin(): ClientRequest {
  const { port } = server.address() as AddressInfo
  const headers = { authorization: 'Bearer ada', 'content-type': 'multipart/form-data; boundary=x' }
  const sending = request({ port, method: 'POST', path: '/md-editor/upload', headers })
  sending.on('error', () => {}) // The connection may close before the client has sent everything.
  return sending
}

async function answerOf(
  sending: ClientRequest,
): Promise<{ status: number | undefined; body: unknown }> {
  const [response] = (await once(sending, 'response')) as [IncomingMessage]
  return { status: response.statusCode, body: await json(response) }
}

async function upload(size = 300_000): Promise<{ status: number | undefined; body: unknown }> {
  const sending = begin()
  const answer = answerOf(sending)
  sending.end(HEAD + 'x'.repeat(size) + TAIL)
  return answer
}

async function files(): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
}

async function openFiles(): Promise<string[]> {
  const folder = '/proc/self/fd'
  const names = process.platform === 'linux' ? await readdir(folder) : []
  const paths = await Promise.all(names.map((name) => readlink(join(folder, name)).catch(() => '')))
  return paths.filter((path) => path.startsWith(directory))
}

async function expectNothing(): Promise<void> {
  await expect
    .poll(async () => [await files(), await openFiles()], { timeout: 10_000 })
    .toEqual([[], []])
  expect(await editor.ledger.usage('user:ada')).toBe(0)
  expect((await upload(10)).status).toBe(201)
}

/** Mocks a method of all file handles. If `as` returns null, the original method is called. */
async function mockHandles(
  method: 'sync' | 'writev',
  as: (call: number) => Promise<unknown> | null,
): Promise<void> {
  const handle = await open(directory)
  const prototype = Object.getPrototypeOf(handle) as FileHandle
  await handle.close()
  const original = prototype[method] as (...args: unknown[]) => Promise<never>
  let calls = 0
  const mock = function (this: FileHandle, ...args: unknown[]): Promise<never> {
    return (as(++calls) as Promise<never> | null) ?? original.apply(this, args)
  }
  vi.spyOn(prototype, method).mockImplementation(mock)
}

const failure = (code: string): Promise<never> =>
  Promise.reject(Object.assign(new Error(code), { code }))

describe('an upload whose client disconnects', () => {
  it.each([
    ['before the form', ''],
    ['in the headers of a part', HEAD.slice(0, 30)],
    ['before the first byte', HEAD],
    ['in the first bytes', `${HEAD}abc`],
    ['in the file', HEAD + 'x'.repeat(300_000)],
    ['in the boundary', `${HEAD}${'x'.repeat(300_000)}\r\n--`],
    [
      'in the part after the file',
      `${HEAD}abc\r\n--x\r\ncontent-disposition: form-data; name="y"\r\n\r\nz`,
    ],
  ])('%s leaves nothing', async (_when, sent) => {
    const arrived = once(server, 'request')
    const sending = begin()
    sending.flushHeaders()
    if (sent !== '') sending.write(sent)
    await arrived
    await sleep(20)
    sending.destroy()
    await expectNothing()
  })

  it('leaves nothing when many uploads are aborted', async () => {
    const uploads = Array.from({ length: 20 }, () => {
      const sending = begin()
      sending.write(HEAD + 'x'.repeat(100_000))
      return sending
    })
    await expect.poll(files, { timeout: 10_000 }).toHaveLength(20)
    for (const sending of uploads) sending.destroy()
    await expectNothing()
  })
})

describe('an upload from a slow client', () => {
  it('succeeds byte by byte', async () => {
    const sending = begin()
    const answer = answerOf(sending)
    for (const byte of `${HEAD}grüße${TAIL}`) {
      sending.write(byte)
      await sleep(1)
    }
    sending.end()
    expect(await answer).toMatchObject({ status: 201, body: { name: 'a.txt' } })
  })

  it('does not block other uploads', async () => {
    const slow = begin()
    const answer = answerOf(slow)
    slow.write(`${HEAD}begin`)
    expect((await upload()).status).toBe(201)
    slow.end(TAIL)
    expect((await answer).status).toBe(201)
  })
})

describe('an upload while the server closes', () => {
  it('completes if its connection stays open', async () => {
    const sending = begin()
    const answer = answerOf(sending)
    sending.write(`${HEAD}begin`)
    await once(server, 'request')
    const closed = once(server, 'close')
    server.close()
    sending.end(`end${TAIL}`)
    expect((await answer).status).toBe(201)
    await closed
  })

  it('leaves nothing when its connection is cut', async () => {
    const sending = begin()
    sending.write(HEAD + 'x'.repeat(300_000))
    await expect.poll(files, { timeout: 10_000 }).toHaveLength(1)
    server.closeAllConnections()
    await expectNothing()
  })
})

describe('an upload to a disk that fails', () => {
  const failed = { status: 503, body: { code: 'storage_failed' } }

  it.each([
    ['full at the first write', 1],
    ['full at a later write', 3],
  ])('gets a 503 and leaves nothing if the disk is %s', async (_when, call) => {
    await mockHandles('writev', (calls) => (calls === call ? failure('ENOSPC') : null))
    expect(await upload(1_000_000)).toMatchObject(failed)
    vi.restoreAllMocks()
    await expectNothing()
  })

  it.each([
    ['the file', 1],
    ['its folder', 2],
  ])('gets a 503 and leaves nothing if syncing %s fails', async (_what, call) => {
    await upload(10) // A folder is created and synced only once.
    for (const name of await editor.keys()) await editor.storage.remove(name)
    await mockHandles('sync', (calls) => (calls === call ? failure('EIO') : null))
    expect(await upload()).toMatchObject(failed)
    vi.restoreAllMocks()
    await expect.poll(files).toEqual([])
    expect(await openFiles()).toEqual([])
  })
})
