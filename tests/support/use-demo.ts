import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { noChromium, sharedChromium } from './chromium.ts'
import { type RunningDemo, startDemo } from './demo.ts'

/** The demo and a browser for the tests of a `describe`. */
export interface UsedDemo {
  readonly demo: RunningDemo
  /** Opens a browser context with its own cookies. The context closes after the test. */
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>
  /** Opens an empty page in a new browser context. */
  newPage(options?: BrowserContextOptions): Promise<Page>
}

/**
 * Starts the demo and connects to Chromium before the tests. If there is no Chromium, skips the
 * tests and reports the reason. A retry gets a new demo, because the failed attempt has changed the
 * data.
 */
export function useDemo(variables: Record<string, string> = {}): UsedDemo {
  let demo: RunningDemo
  let browser: Browser
  const contexts: BrowserContext[] = []

  const settings = { QUILLGATE_LOGIN_RATE_LIMIT: 'off', ...variables }
  beforeAll(async () => {
    if (noChromium) return
    ;[demo, browser] = await Promise.all([startDemo(settings), sharedChromium()])
  })
  afterAll(async () => {
    await demo?.stop()
  })
  beforeEach(async (context) => {
    if (noChromium) context.skip(noChromium)
    if (!context.task.result?.retryCount) return
    await demo.stop()
    demo = await startDemo(settings)
  })
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close()
  })

  async function newContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    const context = await browser.newContext({ baseURL: demo.url, ...options })
    contexts.push(context)
    return context
  }

  return {
    get demo() {
      return demo
    },
    newContext,
    async newPage(options) {
      return (await newContext(options)).newPage()
    },
  }
}
