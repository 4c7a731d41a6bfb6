import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { noChromium, sharedChromium } from '../../../../tests/support/chromium.ts'
import { type OpenPage, openPage, type PageParts } from './open-page.ts'
import { startTestServer, type TestServer } from './test-server.ts'

/** A server and a browser for the tests of a `describe`. */
export interface TestSite {
  readonly server: TestServer
  /** Where pages are opened when they ask for nothing else. */
  readonly context: BrowserContext
  /** Opens a page with a form. It is closed after the test, which fails when scripts or the CSP had something to say. */
  open(parts?: PageParts, options?: BrowserContextOptions): Promise<OpenPage>
}

/**
 * Starts a server and opens a context of Chromium before the tests. Skips them, with the reason,
 * when there is no Chromium.
 */
export function useTestSite(): TestSite {
  let server: TestServer
  let browser: Browser
  let shared: BrowserContext
  const opened: OpenPage[] = []

  beforeAll(async () => {
    if (noChromium) return
    ;[server, browser] = await Promise.all([startTestServer(), sharedChromium()])
    shared = await browser.newContext()
  })
  afterAll(async () => {
    await shared?.close()
    await server?.close()
  })
  beforeEach((context) => {
    if (noChromium) context.skip(noChromium)
    server.reset()
  })
  afterEach(async () => {
    const pages = opened.splice(0)
    for (const { page } of pages)
      await (page.context() === shared ? page.close() : page.context().close())
    expect(pages.flatMap(({ faults }) => faults)).toEqual([])
  })

  return {
    get server() {
      return server
    },
    get context() {
      return shared
    },
    async open(parts = {}, options) {
      const context = options === undefined ? shared : await browser.newContext(options)
      const page = await openPage(context, server, parts)
      opened.push(page)
      return page
    },
  }
}
