import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspectPage } from './inspect-page.ts'

/** A site with pages of rendered documents. It is the only host that the browser can reach. */
export interface AttackSite {
  /** The proxy that the browser must use for all requests. */
  readonly proxy: string
  /** Publishes documents on a new page. @returns the URL of the page */
  publish(documents: readonly string[]): string
  /** The suffix of the URL of a page that sets its documents by `innerHTML`. */
  readonly asFragments: string
  /** The URL of the only script of the pages. Some pages add a query. */
  readonly script: string
  /** Returns true if a URL is a page of the site, or a resource that these pages load. */
  isOwn(url: string): boolean
  close(): Promise<void>
}

/** The name of the global function that receives the inspection of a page. */
export const reportName = 'quillgateReport'

const origin = 'http://quillgate.test'
const script = `${origin}/inspect.js`

/**
 * Serves pages without a Content-Security-Policy, which would stop scripts. The server is a proxy.
 * It answers all other URLs in a document with 404, and contacts no other host.
 */
export async function startAttackSite(): Promise<AttackSite> {
  const pages = new Map<string, readonly string[]>()
  const server = createServer((request, response) => {
    // An attack may request an invalid URL.
    const { pathname, search } = URL.parse(request.url ?? '', origin) ?? {
      pathname: '',
      search: '',
    }
    const documents = request.url?.startsWith(origin)
      ? pages.get(pathname.replace('.json', ''))
      : undefined
    if (pathname === '/inspect.js')
      respond('text/javascript', `(${inspectPage})(${search === '?fragments'}, '${reportName}')`)
    else if (documents === undefined) response.writeHead(404).end()
    else if (pathname.endsWith('.json')) respond('application/json', JSON.stringify(documents))
    else respond('text/html', toPage(search === '' ? documents : documents.map(() => ''), search))

    function respond(type: string, body: string): void {
      response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(body)
    }
  })
  server.on('connect', (_, socket) => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    proxy: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asFragments: '?fragments',
    publish(documents) {
      const path = `/pages/${pages.size}`
      pages.set(path, documents)
      return origin + path
    },
    script,
    isOwn: (url) =>
      url.startsWith(script) || /^\/pages\/\d+(\.json|\?fragments)?$/.test(url.replace(origin, '')),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function toPage(documents: readonly string[], search: string): string {
  const parts = documents.map(
    (html, index) => `<div class="document">${html}</div><p class="sentinel">${index}</p>`,
  )
  return (
    `<!DOCTYPE html><html><head><title>Attacks</title><script src="/inspect.js${search}"></script></head>` +
    `<body><main>${parts.join('')}</main></body></html>`
  )
}
