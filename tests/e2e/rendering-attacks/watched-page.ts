import type { BrowserContext } from 'playwright-core'
import { type AttackSite, reportName } from './attack-site.ts'
import type { Inspection } from './inspect-page.ts'

/** A page that reports every script and every forbidden effect of its documents. */
export interface WatchedPage {
  /** Opens a page of the site. @returns descriptions of all forbidden effects */
  open(url: string): Promise<string[]>
}

// The types of resources that a document may load by itself. A frame may also load a document.
const harmless = new Set(['Image', 'Media', 'Preflight', 'Other'])

/**
 * Creates a page and attaches the debugger of the browser. The debugger reports each compiled
 * script in an element, an event handler or a URL, even if the script has no effect.
 */
export async function watchPage(context: BrowserContext, site: AttackSite): Promise<WatchedPage> {
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  const seen: string[] = []
  let finish: (() => void) | undefined

  session.on('Debugger.scriptParsed', noteScript)
  session.on('Debugger.scriptFailedToParse', noteScript)
  session.on('Network.requestWillBeSent', ({ request, type, frameId }) => {
    if (site.isOwn(request.url) || harmless.has(type ?? 'Other')) return
    if (type === 'Document' && frameId !== mainFrame && /^https:\/\/[\w.-]+\//.test(request.url))
      return
    note(`a request for ${type}: ${request.url}`)
  })
  session.on('Runtime.bindingCalled', ({ payload }) => {
    const { problems, calls } = JSON.parse(payload) as Inspection
    for (const [document, problem] of problems) note(`${document}: ${problem}`)
    for (const call of calls) note(`a call of ${call}`)
    finish?.()
  })
  page.on('dialog', (dialog) => {
    note(`a dialog: ${dialog.message()}`)
    dialog.dismiss().catch(() => undefined)
  })
  page.on('framenavigated', (frame) => {
    if (frame !== page.mainFrame() || site.isOwn(frame.url()) || frame.url() === 'about:blank')
      return
    note(`a navigation to ${frame.url()}`)
    finish?.()
  })
  context.on('page', (popup) => note(`a window: ${popup.url()}`))

  const { frameTree } = await session.send('Page.getFrameTree')
  const mainFrame = frameTree.frame.id
  await session.send('Network.enable')
  await session.send('Runtime.enable')
  await session.send('Runtime.addBinding', { name: reportName })
  await session.send('Debugger.enable')

  function note(what: string): void {
    if (seen.length < 100) seen.push(what)
  }

  function noteScript({
    url,
    executionContextAuxData: world,
  }: {
    url: string
    executionContextAuxData?: object
  }): void {
    // Playwright runs its own scripts in isolated worlds.
    const isOfPage = world === undefined || (world as { isDefault?: boolean }).isDefault !== false
    if (isOfPage && !url.startsWith(site.script) && !url.startsWith('chrome-error:'))
      note(`a script of ${url}`)
  }

  return {
    async open(url) {
      seen.length = 0
      const finished = new Promise<void>((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`${url} did not report: ${seen.join(', ')}`)),
          30_000,
        )
        finish = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      await Promise.all([page.goto(url, { waitUntil: 'commit' }), finished])
      return [...seen]
    },
  }
}
