import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { png } from '../../../tests/support/png.ts'
import { buildPage, peers } from './build-pages.ts'

const build = fileURLToPath(
  new URL('../../../packages/markdown-editor-element/scripts/build-client.mjs', import.meta.url),
)

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
}
const imageHeaders = { 'content-type': 'image/png', 'cache-control': 'max-age=3600' }
const image = png(64, 48, [80, 120, 200])

/**
 * A server on this machine. It serves our client in `/assets/`, a folder for each other editor in
 * `/pages/`, and pages with editors.
 */
export interface Site {
  readonly url: string
  has(path: string): boolean
  /** Publishes a page at a new path and returns its URL. */
  addPage(html: string): string
  close(): Promise<void>
}

export async function openSite(): Promise<Site> {
  const files = await buildAll()
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    const body = files.get(path)
    if (path.startsWith('/images/')) response.writeHead(200, imageHeaders).end(image)
    else if (body === undefined) response.writeHead(404).end()
    else response.writeHead(200, { 'content-type': types[extname(path)] ?? 'text/plain' }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    has: (path) => files.has(path),
    addPage(html) {
      const path = `/${files.size}.html`
      files.set(path, html)
      return `${url}${path}`
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export function buildClient(folder: string): void {
  execFileSync(process.execPath, [build, folder])
}

// Returns the contents of all files by their paths on the site.
async function buildAll(): Promise<Map<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'quillgate-editor-'))
  try {
    buildClient(join(folder, 'assets'))
    for (const name of ['bare', 'ours', ...Object.keys(peers)])
      await buildPage(name, join(folder, 'pages', name))
    const names = globSync('**/*.{js,css}', { cwd: folder })
    return new Map(names.map((name) => [`/${name}`, readFileSync(join(folder, name), 'utf8')]))
  } finally {
    rmSync(folder, { recursive: true })
  }
}
