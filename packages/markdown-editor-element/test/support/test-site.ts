import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { noChromium, sharedChromium } from '../../../../tests/support/chromium.ts'
import { type OpenPage, openPage, type PageParts } from './open-page.ts'
import { startTestServer, type TestServer } from './test-server.ts'

export interface TestSite {
  readonly server: TestServer
  /** The browser context of pages without options. */
  readonly context: BrowserContext
  /**
   * Opens a page with a form. The test fails on a script error or a policy violation. Later tests
   * reuse the page. A test must pass `options` if it adds init scripts or a clock, which cannot be
   * removed. With `options`, the page has its own context.
   */
  open(parts?: PageParts, options?: BrowserContextOptions): Promise<OpenPage>
}

/**
 * Starts a server and opens a Chromium context before the tests. If there is no Chromium, skips the
 * tests and reports the reason.
 */
export function useTestSite(): TestSite {
  let server: TestServer
  let browser: Browser
  let shared: BrowserContext
  const opened: OpenPage[] = []
  const unused: Page[] = []

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
  afterEach(async ({ task }) => {
    const pages = opened.splice(0)
    for (const { page } of pages) {
      if (page.context() !== shared) await page.context().close()
      else if (task.result?.state === 'fail' || page.isClosed()) await page.close()
      else unused.push(await leave(page))
    }
    expect(pages.flatMap(({ faults }) => faults)).toEqual([])
  })

  async function newPage(options: BrowserContextOptions | undefined): Promise<Page> {
    if (options !== undefined) return (await browser.newContext(options)).newPage()
    return unused.pop() ?? shared.newPage()
  }

  return {
    get server() {
      return server
    },
    get context() {
      return shared
    },
    async open(parts = {}, options) {
      const page = await newPage(options)
      const form = await openPage(page, server, parts)
      opened.push(form)
      return form
    },
  }
}

const VIEWPORT = { width: 1280, height: 720 }

/** Resets a page, so that the next test can reuse it. A new page takes longer than most tests. */
async function leave(page: Page): Promise<Page> {
  await page.mouse.move(0, 0)
  await page.unrouteAll()
  page.removeAllListeners()
  await page.goto('about:blank')
  await page.emulateMedia({ media: null, colorScheme: null })
  await page.setViewportSize(VIEWPORT)
  return page
}
