import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { noChromium, sharedChromium } from '../../../../tests/support/chromium.ts'
import type { TestDevicesOptions } from '../../../trusted-devices/test/support/create-devices.ts'
import { type DevicesSite, type SiteLook, startDevicesSite } from './devices-site.ts'

/** A site and a browser for the tests of a `describe`. */
export interface DevicesPages {
  readonly site: DevicesSite
  /**
   * Opens a signed-in page with the list. The test fails on a policy violation or a script error.
   */
  open(look?: SiteLook, options?: BrowserContextOptions): Promise<Page>
  /**
   * Returns the accessibility violations that axe finds on a page. Each text contains the id of a
   * rule and an element.
   */
  findFaults(page: Page): Promise<string[]>
}

/** If there is no Chromium, skips the tests and reports the reason. */
export function useDevicesSite(options: Partial<TestDevicesOptions> = {}): DevicesPages {
  let site: DevicesSite
  let browser: Browser
  const opened: Page[] = []
  const faults: string[] = []

  beforeAll(async () => {
    if (!noChromium) browser = await sharedChromium()
  })
  beforeEach(async (context) => {
    if (noChromium) context.skip(noChromium)
    site = await startDevicesSite(options)
  })
  afterEach(async () => {
    for (const page of opened.splice(0)) await page.context().close()
    await site?.close()
    expect(faults.splice(0)).toEqual([])
  })

  return {
    get site() {
      return site
    },
    async open(look = {}, contextOptions = {}) {
      site.look = look
      const context = await browser.newContext({
        viewport: { width: 1000, height: 800 },
        ...contextOptions,
      })
      const page = await context.newPage()
      opened.push(page)
      page.on('pageerror', (error) => faults.push(String(error)))
      page.on('console', (message) => {
        const text = message.text()
        if (/Content Security Policy|Trusted/.test(text) && !/favicon|data:,/.test(text))
          faults.push(text)
      })
      await page.goto(`${site.url}/sign-in`)
      return page
    },
    async findFaults(page) {
      await page.evaluate(
        readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'),
      )
      return page.evaluate(async () => {
        const { axe } = globalThis as unknown as {
          axe: {
            run(): Promise<{
              violations: { id: string; nodes: { html: string; failureSummary: string }[] }[]
            }>
          }
        }
        const { violations } = await axe.run()
        return violations.flatMap(({ id, nodes }) =>
          nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`),
        )
      })
    },
  }
}
