import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { signIn } from '../support/sign-in.ts'
import { useDemo } from '../support/use-demo.ts'

const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1'

describe("the demo's device list", { timeout: 60_000 }, () => {
  const site = useDemo({ QUILLGATE_COUNTRY_HEADER: 'cf-ipcountry' })

  async function openDevices(options: BrowserContextOptions = {}): Promise<Page> {
    const page = await site.newPage({ extraHTTPHeaders: { 'cf-ipcountry': 'DE' }, ...options })
    await signIn(page, 'grace')
    await page.goto('/devices')
    return page
  }
  const phones = (page: Page) => page.locator('.td-device', { hasText: 'iOS' })

  it('renames, revokes and signs out everywhere under the content security policy', async () => {
    const faults: string[] = []
    const phone = await openDevices({ userAgent: PHONE })
    const page = await openDevices()
    page.on('console', (message) => {
      if (/Content Security Policy|Trusted/.test(message.text())) faults.push(message.text())
    })
    await page.reload()
    await phones(page).locator('summary').click()
    await phones(page).getByRole('textbox').fill('Pocket iOS')
    await phones(page).getByRole('button', { name: 'Save' }).click()
    await page.getByRole('status').getByText('The device is now called Pocket iOS.').waitFor()
    await page.getByRole('button', { name: 'Sign out Pocket iOS' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('status').getByText('Pocket iOS was signed out.').waitFor()
    await phone.reload()
    await phone.waitForURL(/\/login/)

    await page.getByRole('button', { name: 'Sign out everywhere', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.waitForURL(/\/login/)
    expect(faults).toEqual([])
  })

  it('works without JavaScript', async () => {
    await openDevices({ userAgent: PHONE })
    const page = await openDevices({ javaScriptEnabled: false })
    await phones(page).locator('summary').click()
    await phones(page).getByRole('textbox').fill('Plain iOS')
    await phones(page).getByRole('button', { name: 'Save' }).click()
    await page.getByText('Plain iOS').first().waitFor()
    await page.getByRole('button', { name: 'Sign out Plain iOS' }).click()
    await expect.poll(() => phones(page).count()).toBe(0)
    await page.getByRole('button', { name: 'Sign out everywhere', exact: true }).click()
    await page.waitForURL(/\/login/)
  })

  it('redirects another tab to the sign-in page after its device was revoked', async () => {
    const phone = await openDevices({ userAgent: PHONE })
    const page = await openDevices()
    await page.getByRole('button', { name: 'Sign out everywhere else' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere else' }).click()
    await expect.poll(() => page.locator('.td-device').count()).toBe(1)
    await phone.locator('.td-device[data-current] summary').click()
    await phone.locator('.td-device[data-current]').getByRole('button', { name: 'Save' }).click()
    await phone.waitForURL(/\/login/)
  })

  it('rejects forms without a token, from other origins, and for unknown paths', async () => {
    const page = await openDevices()
    const uid = await page.locator('[data-current]').getAttribute('data-uid')
    const token = await page.locator('input[name=csrf_token]').first().inputValue()
    const post = async (
      path: string,
      form: Record<string, string>,
      origin = site.demo.url,
    ): Promise<number> => (await page.request.post(path, { form, headers: { origin } })).status()
    expect(await post(`/devices/${uid}/revoke`, {})).toBe(403)
    expect(
      await post(`/devices/${uid}/revoke`, { csrf_token: token }, 'https://evil.example'),
    ).toBe(403)
    expect(await post(`/devices/${uid}/explode`, { csrf_token: token })).toBe(404)
    expect(await post('/devices/..%2ftoken/revoke', { csrf_token: token })).toBe(400)
    expect((await page.request.get('/devices')).url()).toBe(`${site.demo.url}/devices`)
  })
})
