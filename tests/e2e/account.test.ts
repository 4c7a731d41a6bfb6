import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { signIn } from '../support/sign-in.ts'
import { useDemo } from '../support/use-demo.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

describe("the demo's account page and token client", { timeout: 60_000 }, () => {
  const site = useDemo()

  async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
    const page = await site.newPage(options)
    await page.goto(path)
    return page
  }

  async function openAccount(options: BrowserContextOptions = {}): Promise<Page> {
    const page = await site.newPage(options)
    await signIn(page, 'grace')
    await page.getByRole('link', { name: 'Account' }).click()
    return page
  }

  /** Changes the database so that every password was entered an hour earlier. */
  function letTimePass(): void {
    const database = new DatabaseSync(join(site.demo.dataDirectory, 'quillgate.sqlite'), {
      timeout: 5_000,
    })
    database.exec('UPDATE quillgate_device SET proved_at = proved_at - 3600000')
    database.close()
  }

  /**
   * Returns the violations that axe finds on a page, and reports horizontal scrolling. Tests a wide
   * light page and a narrow dark page.
   */
  async function flaws(page: Page): Promise<string[]> {
    const found: string[] = []
    for (const [colorScheme, width] of [['light', 1280] as const, ['dark', 320] as const]) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 800 })
      await page.evaluate(axe)
      const { violations } = (await page.evaluate('axe.run(document)')) as {
        violations: { id: string }[]
      }
      found.push(...violations.map(({ id }) => `${colorScheme} ${width}: ${id}`))
      if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) {
        found.push(`${colorScheme} ${width}: too wide`)
      }
    }
    return found
  }

  it.each([true, false])(
    'changes the name after the password is entered again (JavaScript: %s)',
    async (script) => {
      const page = await openAccount({ javaScriptEnabled: script })
      const name = page.getByLabel('Name', { exact: true })
      await name.fill('Amazing Grace')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('status').getByText('Your name was saved.').waitFor()
      expect(await page.locator('.who').textContent()).toBe('Amazing Grace')

      letTimePass()
      await name.fill('Rear Admiral Hopper')
      await page.getByRole('button', { name: 'Save' }).click()
      const password = page.getByLabel('Your password')
      await password.waitFor()
      expect([await name.inputValue(), await page.locator('.who').textContent()]).toEqual([
        'Rear Admiral Hopper',
        'Amazing Grace',
      ])
      await password.fill('wrong')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('alert').getByText('The password is wrong.').waitFor()
      await password.fill('quillgate')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('status').waitFor()
      expect(await page.locator('.who').textContent()).toBe('Rear Admiral Hopper')
      await page.goto('/devices') // The session continues with a new token.
      expect(new URL(page.url()).pathname).toBe('/devices')
    },
  )

  it('rejects invalid names, invalid forms and visitors who are not signed in', async () => {
    const page = await openAccount()
    const token = await page
      .locator('form[action="/account/name"] input[name=csrf_token]')
      .inputValue()
    const post = async (form: Record<string, string>, origin = site.demo.url): Promise<number> =>
      (await page.request.post('/account/name', { form, headers: { origin } })).status()
    expect(await post({ csrf_token: token, name: ' ' })).toBe(400)
    expect(await post({ csrf_token: token, name: 'x'.repeat(61) })).toBe(400)
    expect(await post({ name: 'Mallory' })).toBe(403)
    expect(await post({ csrf_token: token, name: 'Mallory' }, 'https://evil.example')).toBe(403)
    letTimePass()
    expect(await post({ csrf_token: token, name: 'Mallory' })).toBe(403)
    expect(await post({ csrf_token: token, name: 'Mallory', password: 'wrong' })).toBe(401)
    await page.reload()
    expect(await page.locator('.who').textContent()).not.toBe('Mallory')
    const stranger = await open('/account')
    expect(new URL(stranger.url()).pathname).toBe('/login')
    await stranger.goto('/account/export.json')
    expect(new URL(stranger.url()).pathname).toBe('/login')
  })

  it('exports stored data to the user, and shows the API document to everyone', async () => {
    const page = await openAccount()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export my data' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('quillgate-devices.json')
    const everything = JSON.parse(await text(await download.createReadStream())) as Record<
      string,
      unknown
    >
    expect(everything).toMatchObject({ format: 'quillgate.trusted-devices.user/1', user_id: '2' })
    const { devices } = everything['data'] as { devices: unknown[] }
    expect(devices.length).toBeGreaterThan(0)
    await page.getByRole('link', { name: 'OpenAPI document' }).click()
    expect(JSON.parse((await page.locator('pre').first().textContent()) ?? '')).toMatchObject({
      openapi: expect.stringMatching(/^3\.1\./),
    })
  })

  it('signs in with tokens, stays signed in after a reload, and shows that its device was revoked', async () => {
    const page = await open('/token-client')
    const faults: string[] = []
    page.on('console', (message) => {
      if (/Content Security Policy|Trusted/.test(message.text())) faults.push(message.text())
    })
    await page.getByLabel('User name').fill('ada')
    await page.getByLabel('Password').fill('wrong')
    await page.getByRole('button', { name: 'Sign in with tokens' }).click()
    await page.getByRole('alert').getByText('invalid_credentials').waitFor()
    await page.getByLabel('Password').fill('quillgate')
    await page.getByRole('button', { name: 'Sign in with tokens' }).click()
    await page.getByText('Signed in as device').waitFor()
    const uid = await page.locator('#uid').textContent()
    expect(
      (await page.context().cookies()).filter((cookie) => /session/.test(cookie.name)),
    ).toEqual([])

    await page.reload()
    await page.getByRole('button', { name: 'My devices' }).click()
    await page.locator('#answer').getByText(`"uid": "${uid}"`).waitFor()
    expect(await page.locator('#requests code').allTextContents()).toEqual([
      'GET /trusted-devices',
      'POST /trusted-devices/token/refresh',
    ])
    expect(await page.locator('#requests').textContent()).toContain('with the access token')
    expect(await flaws(page)).toEqual([])

    const tokens = await (
      await page.request.post('/trusted-devices/token', {
        data: { username: 'ada', password: 'quillgate' },
      })
    ).json()
    const headers = { authorization: `Bearer ${(tokens as { access: string }).access}` }
    expect((await page.request.delete(`/trusted-devices/${uid}`, { headers })).status()).toBe(204)
    // After a 401, the client does not refresh a token that is newer than 30 s. A new page does.
    await page.reload()
    await page.getByRole('button', { name: 'Security log' }).click()
    await page
      .getByRole('alert')
      .getByText('This page was signed out: device_not_recognized.')
      .waitFor()
    await page.getByRole('button', { name: 'Sign in with tokens' }).waitFor()
    expect(faults).toEqual([])
  })

  it('is accessible, with and without the password prompt', async () => {
    const page = await openAccount()
    expect(await flaws(page)).toEqual([])
    letTimePass()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByLabel('Your password').waitFor()
    expect(await flaws(page)).toEqual([])
    const plain = await open('/token-client', { javaScriptEnabled: false })
    await plain.getByText('This page needs JavaScript, which is off.').waitFor()
  })
})
