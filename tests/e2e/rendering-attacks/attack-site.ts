import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspectPage } from './inspect-page.ts'

/** Pages of rendered documents, served to a browser for which nothing else exists. */
export interface AttackSite {
  /** The proxy through which the browser must send everything. */
  readonly proxy: string
  /** Puts documents on a page of their own. @returns the page's address */
  publish(documents: readonly string[]): string
  /** What must be added to a page's address for documents that are set by `innerHTML`. */
  readonly asFragments: string
  /** The address of the only script that the pages have themselves; a query may follow. */
  readonly script: string
  /** Says whether an address is one of the site's pages, or what these load by themselves. */
  isOwn(url: string): boolean
  close(): Promise<void>
}

/** The function of a page that takes its inspection. */
export const reportName = 'quillgateReport'

const origin = 'http://quillgate.test'
const script = `${origin}/inspect.js`

/**
 * Serves pages without any policy that would stop a script. It is a proxy, so that every address that a document
 * mentions is answered here, with 404, and none outside is asked.
 */
export async function startAttackSite(): Promise<AttackSite> {
  const pages = new Map<string, readonly string[]>()
  const server = createServer((request, response) => {
    // An attack may ask for what is no URL at all.
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
