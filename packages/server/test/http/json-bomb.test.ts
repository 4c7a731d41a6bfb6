import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'

const SIZE = 24_000_000
const fill = (open: string, value: string, close = ''): string =>
  open + value.repeat((SIZE - open.length - close.length) / value.length) + close

let server: ChildProcessByStdio<Writable, Readable, null>
let url: string
beforeAll(async () => {
  const script = fileURLToPath(new URL('fixtures/json-server.ts', import.meta.url))
  // The heap is small, so parsing a body of the first test would end the process.
  const flags = ['--max-old-space-size=128', '--conditions=@quillgate/source']
  server = spawn(process.execPath, [...flags, script], { stdio: ['pipe', 'pipe', 'ignore'] })
  const [port] = (await once(server.stdout, 'data')) as [Buffer]
  url = `http://127.0.0.1:${String(port).trim()}`
})
afterAll(async () => {
  if (server.exitCode !== null) return
  const exit = once(server, 'exit')
  server.stdin.end()
  await exit
})

it.each([
  ['nested arrays', fill('', '[')],
  ['nested arrays that are closed', '['.repeat(SIZE / 2) + ']'.repeat(SIZE / 2)],
  ['nested objects', fill('', '{"a":')],
  ['many arrays', fill('[', '[],', '[]]')],
  ['many objects', fill('[', '{},', '{}]')],
  ['many short strings', fill('{"texts":[', '"a",', '""]}')],
  ['many numbers', fill('[', '1e9,', '1]')],
  ['many keys', `{${Array.from({ length: 1_500_000 }, (_, index) => `"${index}":1`).join()}}`],
])('two connections that send %s do not delay other requests', async (_name, body) => {
  await longestDelay()
  // The server answers before it has read the body, so a client that is still sending may not
  // receive the answer.
  const send = async (): Promise<number> => (await post(body).catch(() => null))?.status ?? 400
  const connection = async (): Promise<number[]> => [await send(), await send()]
  expect((await Promise.all([connection(), connection()])).flat()).toEqual([400, 400, 400, 400])
  // Parsing such a body takes seconds. Without parsing, requests on a busy machine may take some
  // tenths of a second.
  expect(await longestDelay()).toBeLessThan(1000)
})

it('reads a text of the largest size that consists only of escapes', async () => {
  expect(await (await post(fill('{"text":"', '\\u0061', '"}'))).json()).toBe('object')
})

it('reads a large text while other large bodies are stalled', async () => {
  const start = new Uint8Array(22_000_000).fill(0x61).fill(0x22, 0, 1)
  const stalled = await Promise.all(
    [1, 2, 3, 4].map(() => begin('content-length: 24000000', start)),
  )
  expect((await post(`"${'a'.repeat(3_000_000)}"`)).status).toBe(200)
  for (const socket of stalled) socket.destroy()
})

it('reads a body of many tiny chunks', { timeout: 60_000 }, async () => {
  const quote = '1\r\n"\r\n'
  const letters = '1\r\na\r\n'.repeat(800_000)
  const socket = await begin('transfer-encoding: chunked', `${quote}${letters}${quote}0\r\n\r\n`)
  const [answer] = (await once(socket, 'data')) as [Buffer]
  expect(String(answer)).toMatch(/^HTTP\/1.1 200 /)
  socket.destroy()
})

function post(body: string): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
}

/** In milliseconds, since the last call. */
async function longestDelay(): Promise<unknown> {
  return (await fetch(url)).json()
}

async function begin(header: string, body: string | Uint8Array): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write(
    `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${header}\r\n\r\n`,
  )
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject)
    socket.write(body, () => resolve())
  })
  return socket
}
