import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { signIn } from '../support/sign-in.ts'
import { useDemo } from '../support/use-demo.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

describe('the login alerts of the demo in a browser', () => {
  const site = useDemo({ QUILLGATE_COUNTRY_HEADER: 'cf-ipcountry' })

  const visitor = (country: string, options: BrowserContextOptions = {}): Promise<BrowserContext> =>
    site.newContext({ extraHTTPHeaders: { 'cf-ipcountry': country }, ...options })

  async function open(context: BrowserContext, username: string): Promise<Page> {
    const page = await context.newPage()
    await signIn(page, username)
    return page
  }

  /**
   * Returns the violations that axe finds on a page, and reports horizontal scrolling. Tests a wide
   * light page and a narrow dark page.
   */
  async function flaws(page: Page, rules: object = {}): Promise<string[]> {
    const found: string[] = []
    for (const [colorScheme, width] of [
      ['light', 1280],
      ['dark', 320],
    ] as const) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 800 })
      await page.evaluate(axe)
      const results = (await page.evaluate(
        `axe.run(document, { iframes: false, rules: ${JSON.stringify(rules)} })`,
      )) as AxeResults
      found.push(
        ...results.violations.map(
          ({ id, nodes }) => `${colorScheme} ${width}: ${id} ${nodes[0]?.html}`,
        ),
      )
      if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) {
        found.push(`${colorScheme} ${width}: too wide`)
      }
    }
    return found
  }

  it('appear in the mailbox for a new country, and link to a page that ends the session', async () => {
    const [home, away] = [await visitor('DE'), await visitor('FR')]
    const owner = await open(home, 'ada')
    await owner.goto('/security-log')
    await owner.getByRole('link', { name: 'The mails about it' }).click()
    await owner.getByText('No mail yet').waitFor()
    const stranger = await open(away, 'ada')

    const title = 'Sign-in to Quillgate demo from a new country: France'
    await expect
      .poll(
        async () => {
          await owner.goto('/mailbox')
          return owner.getByRole('heading', { name: title }).count()
        },
        { timeout: 20_000 },
      )
      .toBe(1)
    expect(await flaws(owner)).toEqual([])
    await owner.getByRole('link', { name: title }).click()
    await owner.getByRole('heading', { level: 1, name: title }).waitFor()
    expect(await flaws(owner)).toEqual([])
    const mail = await home.newPage() // The page of the demo forbids all scripts, including axe.
    await mail.setContent(await (await home.request.get(`${owner.url()}/html`)).text())
    // Mail clients show a mail inside their own page, so a mail needs no landmarks.
    const landmarks = { region: { enabled: false }, 'landmark-one-main': { enabled: false } }
    expect(await flaws(mail, landmarks)).toEqual([])
    await mail.close()
    await owner.bringToFront() // A user clicks only in the visible page.

    const problems: string[] = []
    owner.on('console', (message) => problems.push(message.text()))
    owner.on('pageerror', (error) => problems.push(String(error)))
    await owner.frameLocator('iframe').getByRole('link', { name: 'This wasn’t me' }).click()
    await owner.waitForURL(/\/login-alerts\/[\w-]+$/)
    await owner.getByText('France', { exact: true }).waitFor()
    expect(await flaws(owner)).toEqual([])
    await stranger.goto('/devices')
    expect(new URL(stranger.url()).pathname).toBe('/devices') // Opening the link did nothing.

    await owner.getByRole('button', { name: 'This wasn’t me' }).click()
    await owner.getByText('2 devices were signed out.').waitFor()
    expect(new URL(owner.url()).pathname).toBe('/login-alerts')
    expect(await flaws(owner)).toEqual([])
    expect(problems).toEqual([])
    for (const page of [stranger, owner]) {
      await page.goto('/devices')
      expect(new URL(page.url()).pathname).toBe('/login')
    }
  }, 90_000)

  it('are visible only to their user', async () => {
    const context = await visitor('DE', { javaScriptEnabled: false })
    const page = await open(context, 'ada')
    await page.goto('/mailbox')
    const path = (await page.locator('.mails a').first().getAttribute('href')) ?? ''
    const other = await visitor('DE')
    const stranger = await open(other, 'grace')
    expect((await stranger.goto(path))?.status()).toBe(404)
    expect((await stranger.goto(`${path}/html`))?.status()).toBe(404)
    expect((await page.goto(`${path}/html`))?.headers()['content-security-policy']).toContain(
      "default-src 'none'",
    )
  })
})

interface AxeResults {
  readonly violations: readonly {
    readonly id: string
    readonly nodes: readonly { readonly html: string }[]
  }[]
}
