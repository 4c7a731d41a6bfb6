import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { builtClient } from '../../../../tests/support/built-client.ts'
import { png } from '../../../../tests/support/png.ts'
import {
  WIDGET_DEFAULTS,
  type WidgetDefaults,
} from '../../../markdown-editor/src/widget/widget-defaults.ts'
import type { UploadResponse } from '../../src/contract/wire.ts'

/** The Content-Security-Policy under which the editor must work. */
export const STRICT_CSP: string =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; connect-src 'self'; " +
  "form-action 'self'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types quillgate"

const SAVED = '<!doctype html><title>Saved</title><h1>Saved</h1>'

export interface Recorded {
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

export interface ReceivedFile {
  readonly name: string
  readonly type: string
  /** The names of the multipart parts, in order. */
  readonly parts: readonly string[]
  readonly token: string | null
}

export interface Answer {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** A page that the server sends as the answer to a form. */
export interface Page {
  readonly status: number
  readonly html?: string
  readonly location?: string
}

/** A server that serves the built client and simulates the endpoints of an editor. */
export interface TestServer {
  readonly url: string
  readonly widgetDefaults: WidgetDefaults
  readonly posted: Recorded[]
  readonly files: ReceivedFile[]
  /** The submitted fields, one map per submit. */
  readonly saved: URLSearchParams[]
  /** HTML of the pages by path. */
  readonly pages: Map<string, string>
  onUpload: ((file: ReceivedFile) => Promise<Answer> | Answer) | null
  /** Replaces the answer to a finalize request. `text` joins several texts with line breaks. */
  onFinalize: ((text: string) => Promise<Answer> | Answer) | null
  onSave: ((fields: URLSearchParams) => Promise<unknown> | Page | Page) | null
  /** Clears everything except the pages. */
  reset(): void
  close(): Promise<void>
}

export async function startTestServer(): Promise<TestServer> {
  const { folder: assets, types } = await builtClient('markdown-editor-element')
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  const state: TestServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    widgetDefaults: { ...WIDGET_DEFAULTS, assetBase: '/assets/' },
    posted: [],
    files: [],
    saved: [],
    pages: new Map(),
    onUpload: null,
    onFinalize: null,
    onSave: null,
    reset() {
      for (const list of [this.posted, this.files, this.saved]) list.length = 0
      this.onUpload = null
      this.onFinalize = null
      this.onSave = null
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', state.url)
    const send = (
      status: number,
      type: string,
      body: string | Buffer,
      more: Answer['headers'] = {},
    ): void => {
      response
        .writeHead(status, { 'content-type': type, 'content-security-policy': STRICT_CSP, ...more })
        .end(body)
    }
    const sendJson = ({ status, body, headers }: Answer): void => {
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      send(status, typeof body === 'string' ? 'text/html' : 'application/json', text, headers)
    }
    if (request.method !== 'POST') {
      const page = state.pages.get(pathname)
      const asset = pathname.startsWith('/assets/') ? pathname.slice('/assets/'.length) : ''
      const type = types[asset]
      if (page !== undefined) return send(200, 'text/html; charset=utf-8', page)
      if (type !== undefined) return send(200, type, readFileSync(join(assets, asset)))
      if (pathname.startsWith('/media/')) return send(200, 'image/png', png(8, 8, [200, 80, 40]))
      return send(404, 'text/plain', 'not found')
    }
    const body = await readAll(request)
    const isUpload = pathname === '/md-editor/upload'
    state.posted.push({
      path: pathname,
      headers: request.headers,
      body: isUpload ? '' : body.toString(),
    })
    if (isUpload) {
      const file = await receive(body, request.headers['content-type'] ?? '')
      state.files.push(file)
      return sendJson(await (state.onUpload ?? store)(file))
    }
    if (pathname === '/md-editor/finalize') {
      const { text = '', texts = [text] } = JSON.parse(body.toString()) as {
        text?: string
        texts?: string[]
      }
      return sendJson(await (state.onFinalize ?? promote)(texts.join('\n')))
    }
    const fields = new URLSearchParams(body.toString())
    state.saved.push(fields)
    const saved = await state.onSave?.(fields)
    const { status, html, location } = isPage(saved) ? saved : { status: 200, html: SAVED }
    if (location !== undefined) response.setHeader('location', location)
    send(status, 'text/html; charset=utf-8', html ?? '')
  }
  return state
}

const isPage = (value: unknown): value is Page =>
  typeof value === 'object' && value !== null && 'status' in value

async function readAll(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

async function receive(body: Buffer<ArrayBuffer>, type: string): Promise<ReceivedFile> {
  const form = await new Response(body, { headers: { 'content-type': type } }).formData()
  const file = form.get('file') as File
  return {
    name: file.name,
    type: file.type,
    parts: [...form.keys()],
    token: form.get('csrf_token') as string | null,
  }
}

let stored = 0

export function store({ name, type }: Pick<ReceivedFile, 'name' | 'type'>): Answer {
  const url = `/media/md-editor/tmp/m${++stored}-${name.replace(/[^\w.-]/g, '_')}`
  return { status: 201, body: { url, name, type } satisfies UploadResponse }
}

/** Returns the answer to a finalize request as if every temporary file existed. */
export function promote(text: string): Answer {
  const urls = new Set(text.match(/\/media\/md-editor\/tmp\/[\w.-]+/g))
  const moved = (url: string): string => url.replace('/tmp/', '/uploads/2026/11/')
  return {
    status: 200,
    body: {
      replacements: Object.fromEntries([...urls].map((url) => [url, moved(url)])),
      missing: [],
    },
  }
}

export function problem(status: number, code: string, detail: string): Answer {
  return { status, body: { type: 'about:blank', title: 'Problem', status, code, detail } }
}
