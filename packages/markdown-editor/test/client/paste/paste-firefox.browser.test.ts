import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { Browser } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchFirefox, noFirefox } from '../../../../../tests/support/firefox.ts'
import { formPage } from '../support/open-page.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

const CORPUS = new URL('./corpus/', import.meta.url)

// Another parser of HTML, and another eye on the Content-Security-Policy. Its clipboard is out of reach of the driver.
describe.skipIf(noFirefox)('pasting in Firefox', () => {
  let server: TestServer
  let browser: Browser

  beforeAll(async () => {
    ;[server, browser] = await Promise.all([startTestServer(), launchFirefox()])
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
  })

  it('gives the same for each sample of other programs', async () => {
    const page = await browser.newPage()
    const faults: string[] = []
    page.on('pageerror', (error) => faults.push(String(error)))
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text())
    })
    server.pages.set('/form', formPage(server, { fields: { body: '' } }))
    await page.goto(`${server.url}/form`)
    await page.waitForSelector('.md-editor-toolbar')
    for (const file of readdirSync(CORPUS).filter((name) => name.endsWith('.html'))) {
      const read = (type: string): string => {
        const url = new URL(file.replace(/html$/, type), CORPUS)
        return existsSync(url) ? readFileSync(url, 'utf8') : ''
      }
      await page.evaluate(
        (html, text) => {
          const field = document.querySelector('textarea') as HTMLTextAreaElement
          field.value = ''
          field.focus()
          // Firefox empties what is given to the constructor.
          const event = new ClipboardEvent('paste', { bubbles: true, cancelable: true })
          event.clipboardData?.setData('text/html', html)
          event.clipboardData?.setData('text/plain', text)
          field.dispatchEvent(event)
        },
        read('html'),
        read('txt'),
      )
      const value = (): Promise<string> => page.$eval('textarea', (field) => field.value)
      await expect.poll(value, { message: file }).toBe(read('md').replace(/\n$/, ''))
    }
    expect(faults).toEqual([])
  })
})
