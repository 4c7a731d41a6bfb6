import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { launchChromium, noChromium } from '../support/chromium.ts'
import { type RunningDemo, startDemo } from '../support/demo.ts'

describe('the preview of the demo', () => {
  beforeEach((context) => {
    if (noChromium) context.skip(noChromium)
  })

  let demo: RunningDemo
  let browser: Browser

  beforeAll(async () => {
    if (noChromium) return
    ;[demo, browser] = await Promise.all([startDemo({ QUILLGATE_LOGIN_RATE_LIMIT: 'off' }), launchChromium()])
  })
  afterAll(async () => {
    await browser?.close()
    await demo?.stop()
  })

  it('renders in a Worker what the page of the post shows', async () => {
    const page = await browser.newPage({ baseURL: demo.url })
    const faults: string[] = []
    page.on('pageerror', (error) => faults.push(String(error)))
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text())
    })
    await page.goto('/login')
    await page.getByLabel('User name').fill('ada')
    await page.getByLabel('Password').fill('quillgate')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL((url) => url.pathname === '/')

    await page.goto('/posts/new')
    await page.getByLabel('Title').fill('Both alike')
    const text =
      '# Head\n\nA ==mark==, a note[^1], `code`.\n\n| a | b |\n|--|--|\n| 1 | 2 |\n\n```js\nlet a = 1\n```\n\n[^1]: Note'
    await page.getByRole('textbox', { name: 'Text' }).fill(text)
    await page.getByRole('tab', { name: 'Preview' }).click()
    const preview = page.locator('.md-editor-preview')
    await preview.getByRole('heading', { name: 'Head' }).waitFor()
    const worker = page.workers().map((each) => new URL(each.url()).pathname)
    expect(worker).toEqual([expect.stringMatching(/^\/md-editor\/assets\/[^/]+\/preview\.worker\.js$/)])
    const shown = await preview.evaluate((element) => element.innerHTML)

    await page.getByRole('button', { name: 'Publish' }).click()
    await page.waitForURL(/\/posts\/(?!new)[^/]+$/)
    expect((await page.locator('.md-content').evaluate((element) => element.innerHTML)).trim()).toBe(shown.trim())
    expect(faults).toEqual([])
  })
})
