import type { Browser } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchFirefox, noFirefox } from '../../../../tests/support/firefox.ts'
import { formPage } from '../support/open-page.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { readSamples } from './support/samples.ts'

// Firefox has another HTML parser and another implementation of the Content-Security-Policy. The
// driver cannot access its clipboard.
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

  it('gives the same result for each sample of other programs', async () => {
    const page = await browser.newPage()
    const faults: string[] = []
    page.on('pageerror', (error) => faults.push(String(error)))
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text())
    })
    server.pages.set('/form', formPage(server, { fields: { body: '' } }))
    await page.goto(`${server.url}/form`)
    await page.waitForSelector('.md-editor-toolbar')
    for (const { name, html, plain, markdown } of readSamples()) {
      await page.evaluate(
        (given, text) => {
          const field = document.querySelector('textarea') as HTMLTextAreaElement
          field.value = ''
          field.focus()
          // Sets the data on the event, because Firefox ignores a DataTransfer in the constructor.
          const event = new ClipboardEvent('paste', { bubbles: true, cancelable: true })
          event.clipboardData?.setData('text/html', given)
          event.clipboardData?.setData('text/plain', text)
          const changed = new Promise((resolve) =>
            field.addEventListener('input', resolve, { once: true }),
          )
          field.dispatchEvent(event)
          return changed.then(() => {})
        },
        html,
        plain,
      )
      expect(await page.$eval('textarea', (field) => field.value), name).toBe(markdown)
    }
    expect(faults).toEqual([])
  })
})
