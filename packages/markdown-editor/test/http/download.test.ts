import { once } from 'node:events'
import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { mount } from '@quillgate/server/node'
import { localFiles } from '@quillgate/storage'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { gateOf } from '../../../server/test/support/test-gate.ts'
import type { Medium } from '../../src/media/ledger/medium.ts'
import { PNG } from '../media/upload/samples.ts'
import { type OpenRoutes, openRoutes } from './open-routes.ts'
import { promoteFile, uploadFile } from './stored-files.ts'

const MiB = 1024 * 1024
const PATIENT = { timeout: 10_000 }
const BIG = Buffer.concat([Buffer.from('0123456789'), Buffer.alloc(24 * MiB, 'x')])

let directory: string
let editor: OpenRoutes
let server: Server
let port: number
let medium: Medium

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quillgate-download-'))
  editor = await openRoutes({ storage: localFiles(directory) })
  medium = await promoteFile(editor, await uploadFile(editor, BIG, 'big.txt', 'text/plain'))
  const error = (_message: string, details: unknown): void => void editor.unexpected.push(details)
  const logger = { warn: () => {}, error }
  server = createServer(mount(gateOf(editor.handler, { logger }))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})

afterEach(async () => {
  server.closeAllConnections()
  server.close()
  await editor.close()
  await rm(directory, { recursive: true })
})

async function get(path: string, headers = {}): Promise<IncomingMessage> {
  const [response] = (await once(request({ port, path, headers }).end(), 'response')) as [
    IncomingMessage,
  ]
  return response
}

async function raw(bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(bytes)
  return text(socket)
}

async function openFiles(): Promise<string[]> {
  const names = await readdir('/proc/self/fd')
  const targets = await Promise.all(
    names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')),
  )
  return targets.filter((target) => target.startsWith(directory))
}

describe.runIf(process.platform === 'linux')('a download that ends early', () => {
  it('closes the file when the client disconnects, and logs nothing', async () => {
    for (let i = 0; i < 20; i++) {
      const response = await get(`/media/${medium.key}`)
      await once(response, 'data')
      expect(await openFiles()).toHaveLength(1)
      response.destroy()
      await expect.poll(openFiles, PATIENT).toEqual([])
    }
    expect(editor.unexpected).toEqual([])
  })

  it('closes the file when the client disconnects before the first byte', async () => {
    const sent = request({ port, path: `/media/${medium.key}` }).on('error', () => {})
    sent.end()
    await once(sent, 'finish')
    sent.destroy()
    await expect.poll(openFiles, PATIENT).toEqual([])
  })

  it('opens nothing for HEAD, 304 and 416', async () => {
    const reads: string[] = []
    const { read } = editor.storage
    editor.storage.read = (key, range) => {
      reads.push(key)
      return read.call(editor.storage, key, range)
    }
    await get(`/media/${medium.key}`, { 'if-none-match': '*' })
    await get(`/media/${medium.key}`, { range: `bytes=${BIG.byteLength}-` })
    await raw(`HEAD /media/${medium.key} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
    expect(reads).toEqual([])
  })
})

describe('a download over node:http', () => {
  it('is complete, with ranges and over HTTP/1.0 too', async () => {
    expect((await text(await get(`/media/${medium.key}`))) === BIG.toString()).toBe(true)
    expect(await text(await get(`/media/${medium.key}`, { range: 'bytes=2-5' }))).toBe('2345')
    const answer = await raw(`GET /media/${medium.key} HTTP/1.0\r\nrange: bytes=0-9\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 206 /)
    expect(answer).toMatch(/\r\ncontent-length: 10\r\n/i)
    expect(answer).not.toMatch(/transfer-encoding/i)
    expect(answer.endsWith('\r\n\r\n0123456789')).toBe(true)
  })

  it('answers 404 to other spellings of the path, except for encodings of the file name', async () => {
    const file = medium.key ?? ''
    const folder = file.slice(0, file.lastIndexOf('/') + 1)
    const name = file.slice(folder.length)
    for (const path of [`/media/${file}?a=b`, `/media/${folder}${name.replaceAll('-', '%2d')}`]) {
      expect((await get(path, { range: 'bytes=0-1' })).statusCode, path).toBe(206)
    }
    const others = [
      `/./media/${file}`,
      `/media/./${file}`,
      `/media/x/../${file}`,
      `/x/../media/${file}`,
      `/x/%2e%2e/media/${file}`,
      `/x/.%2E/media/${file}`,
      `/%2e/media/${file}`,
      `http://x/y/../media/${file}`,
      `/media/${file}#x`,
      `/%6dedia/${file}`,
      `/media/${file.replace('uploads', '%75ploads')}`,
      `/media/${file.replace('md-editor', 'md%2Deditor')}`,
      `/media/${file.toUpperCase()}`,
      `/MEDIA/${file}`,
      `/media//${file}`,
      `/media/${file.replaceAll('/', '%2f')}`,
      `/media/${file.replaceAll('/', '%5c')}`,
      `/media/%2e%2e/media/${file}x`,
      `/media/${file.replaceAll('-', '%252d')}`,
      `/media/${file}%00`,
      `/media/${file}.`,
      `/media/${file}%20`,
      `/media/${file};a=b`,
      `/media/${file}/../../../../../../etc/passwd`,
    ]
    for (const path of others) {
      const answer = await raw(
        `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nrange: bytes=0-1\r\n\r\n`,
      )
      expect(answer, path).toMatch(/^HTTP\/1\.1 404 /)
    }
  })

  it('uses a file name that cannot break the header', async () => {
    for (const name of [
      'a"; filename="b.exe.png',
      'a\\.png',
      "it's (1)*%.png",
      'a\u202egpj.png',
      '\u{1f4a9}.png',
      'a\u2028b.png',
      '%0d%0ax: y.png',
      `${'é'.repeat(300)}.png`,
    ]) {
      const { tempKey } = await uploadFile(editor, PNG, name, 'image/png')
      const { headers } = await get(`/media/${encodeURI(tempKey)}`)
      expect(headers['content-disposition']).toMatch(
        /^inline; filename="[\x20-\x21\x23-\x24\x26-\x5b\x5d-\x7e]*"; filename\*=UTF-8''(?:[\w!#$&+.^`|~-]|%[0-9A-F]{2})*$/,
      )
      expect(Object.keys(headers)).not.toContain('x')
    }
  })
})
