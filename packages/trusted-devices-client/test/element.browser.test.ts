import type { TrustedDevicesElement } from '@quillgate/trusted-devices-client'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { useDevicesSite } from './support/use-devices-site.ts'

const rowOf = (page: Page, name: string) => page.locator('.td-device', { hasText: name })

const reload = (page: Page): Promise<void> =>
  page.locator('trusted-devices').evaluate((list) => (list as TrustedDevicesElement).reload())

const listen = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const recorded: string[] = []
    Object.assign(globalThis, { recorded })
    for (const name of ['device-revoked', 'signed-out'])
      document.addEventListener(name, (event) =>
        recorded.push(`${name} ${(event as CustomEvent).detail.uid ?? ''}`.trim()),
      )
  })
const recorded = (page: Page): Promise<string[]> =>
  page.evaluate(() => (globalThis as unknown as { recorded: string[] }).recorded)

describe('<trusted-devices> with a list rendered on the server', { timeout: 60_000 }, () => {
  const pages = useDevicesSite()

  it('marks the current device and shows place, relative time and exact time', async () => {
    await pages.site.addDevice()
    const page = await pages.open()
    const current = page.locator('.td-device[data-current]')
    expect(await current.count()).toBe(1)
    expect(await current.innerText()).toContain('This device')
    const phone = rowOf(page, 'Safari on iOS')
    expect(await phone.innerText()).toContain('Berlin, Germany')
    expect(await phone.locator('time').first().getAttribute('title')).toMatch(/\d{4}.*\d{2}:\d{2}/)
    expect(await phone.locator('time').first().getAttribute('datetime')).toMatch(/^\d{4}-.*Z$/)
  })

  it('revokes after a confirmation, reports it, and focuses the next device', async () => {
    const uid = await pages.site.addDevice()
    await pages.site.addDevice('curl/8')
    const page = await pages.open()
    await listen(page)
    await rowOf(page, 'Safari on iOS')
      .getByRole('button', { name: 'Sign out Safari on iOS' })
      .click()
    expect(await page.getByRole('dialog').innerText()).toContain('Sign out Safari on iOS?')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    expect(await rowOf(page, 'Safari on iOS').count()).toBe(1)

    await page.keyboard.press('Enter') // The button has the focus again.
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).press('Enter')
    await expect.poll(() => rowOf(page, 'Safari on iOS').count()).toBe(0)
    expect(await page.getByRole('status').innerText()).toBe('Safari on iOS was signed out.')
    expect(await page.evaluate(() => document.activeElement?.className)).toBe('td-device')
    expect(await recorded(page)).toEqual([`device-revoked ${uid}`])
    expect(pages.site.house.signals.names()).toContain('device_revoked')
    expect((await pages.site.house.devices.registry.list('1')).devices).toHaveLength(2)
  })

  it('renames a device in place', async () => {
    await pages.site.addDevice()
    const page = await pages.open()
    const row = rowOf(page, 'Safari on iOS')
    await row.locator('summary').click()
    await row.getByRole('textbox').fill('<b>Päckchen</b> ‮')
    await row.getByRole('textbox').press('Enter')
    await expect
      .poll(() => page.locator('.td-name').allInnerTexts())
      .toContainEqual(expect.stringContaining('<b>Päckchen</b>'))
    expect(await page.getByRole('status').innerText()).toContain('is now called <b>Päckchen</b>')
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('SUMMARY')
    // Opening the form selects the name, so that typing replaces it.
    await page.keyboard.press('Enter')
    const active = () => page.evaluate(() => document.activeElement?.tagName)
    await expect.poll(active).toBe('INPUT')
    await page.keyboard.type('Not this')
    await page.keyboard.press('Escape')
    expect(await active()).toBe('SUMMARY')
    await page.keyboard.press('Enter')
    await expect.poll(active).toBe('INPUT')
    expect(await page.locator('.td-input:focus').inputValue()).not.toBe('Not this')
    await page.keyboard.type('Phone')
    await page.keyboard.press('Enter')
    await page.getByText('is now called Phone').waitFor()
  })

  it('signs out all other devices, then all devices', async () => {
    await pages.site.addDevice()
    await pages.site.addDevice()
    const page = await pages.open()
    await listen(page)
    await page.getByRole('button', { name: 'Sign out everywhere else' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere else' }).click()
    await expect.poll(() => page.locator('.td-device').count()).toBe(1)
    expect(await page.getByRole('status').innerText()).toBe('Devices signed out: 2.')
    expect(await recorded(page)).toHaveLength(2)
    expect(await page.locator('.td-device:focus').count()).toBe(1) // The used button is hidden.
    await page.getByRole('button', { name: 'Sign out everywhere', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.getByText('You are signed out.').waitFor()
    expect((await recorded(page)).at(-1)).toBe('signed-out')
    expect((await pages.site.house.devices.registry.list('1')).devices).toEqual([])
  })

  it('shows more devices and focuses the first of them', async () => {
    for (let count = 0; count < 6; count++) await pages.site.addDevice()
    const page = await pages.open()
    expect(await page.locator('.td-device').count()).toBe(4)
    await page.getByRole('link', { name: 'Show more devices' }).click()
    await expect.poll(() => page.locator('.td-device').count()).toBe(7)
    expect(await page.locator('.td-more').count()).toBe(0)
    expect(
      await page.evaluate(() =>
        [...document.querySelectorAll('.td-device')].indexOf(document.activeElement as Element),
      ),
    ).toBe(4)
    const uids = await page
      .locator('.td-device')
      .evaluateAll((rows) => rows.map((row) => (row as HTMLElement).dataset['uid']))
    expect(new Set(uids).size).toBe(7)
  })

  it('redirects to the configured URL when the device was revoked elsewhere', async () => {
    const page = await pages.open({ list: { signedOutUrl: '/signed-out' } })
    const other = await pages.site.addDevice()
    const [current] = (await pages.site.house.devices.registry.list('1')).devices.filter(
      ({ uid }) => uid !== other,
    )
    await pages.site.house.devices.registry.revoke('1', current?.uid ?? '')
    await page.getByRole('button', { name: 'Sign out everywhere', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.waitForURL('**/signed-out')
  })

  it('reloads the list when the page is shown again, and shows the time of loading', async () => {
    const page = await pages.open()
    const others = page.getByRole('button', { name: 'Sign out everywhere else' })
    expect(await others.isVisible()).toBe(false)
    const loadedAt = () => page.locator('.td-loaded time').getAttribute('datetime')
    const first = await loadedAt()
    await page.evaluate(() => {
      const now = Date.now
      Date.now = () => now() + 60_000
    })
    await pages.site.addDevice()
    await page.evaluate(() => window.dispatchEvent(new Event('focus')))
    await rowOf(page, 'Safari on iOS').waitFor()
    expect(Date.parse((await loadedAt()) ?? '')).toBeGreaterThan(Date.parse(first ?? ''))
    expect(await others.isVisible()).toBe(true)
    expect(await page.locator('.td-device').first().getAttribute('data-current')).not.toBeNull()
  })

  it.each(['Cancel', 'Escape'])(
    'keeps the focus if it reloads during a question: %s',
    async (way) => {
      await pages.site.addDevice()
      const page = await pages.open()
      const button = page.getByRole('button', { name: 'Sign out Safari on iOS' })
      await button.press('Enter')
      await page.getByRole('dialog').waitFor()
      const first = await page.locator('.td-loaded time').getAttribute('datetime')
      await page.evaluate(() => {
        const now = Date.now
        Date.now = () => now() + 60_000
      })
      const loaded = page.waitForResponse(/limit=/)
      await page.evaluate(() => window.dispatchEvent(new Event('focus')))
      await (await loaded).finished()
      await expect.poll(() => page.locator('[aria-busy]').count()).toBe(0)
      if (way === 'Cancel') await page.getByRole('button', { name: way }).press('Enter')
      else await page.keyboard.press(way)
      await expect
        .poll(() => page.locator('.td-loaded time').getAttribute('datetime'))
        .not.toBe(first)
      expect(await button.evaluate((element) => element === document.activeElement)).toBe(true)
    },
  )

  it('keeps the focus in the list if a reload shows all devices', async () => {
    for (let count = 0; count < 6; count++) await pages.site.addDevice()
    const page = await pages.open()
    await page.getByRole('link', { name: 'Show more devices' }).focus()
    await reload(page)
    expect(await page.locator('.td-device').count()).toBe(7)
    expect(await page.locator('.td-device:focus').count()).toBe(1)
  })

  it('reports that a device was already revoked', async () => {
    const uid = await pages.site.addDevice()
    const page = await pages.open()
    await pages.site.house.devices.registry.revoke('1', uid)
    await rowOf(page, 'Safari on iOS')
      .getByRole('button', { name: /^Sign out/ })
      .click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('Safari on iOS was already signed out.').waitFor()
    expect(await rowOf(page, 'Safari on iOS').count()).toBe(0)
  })

  it('offers to reload an outdated page and keeps the device', async () => {
    await pages.site.addDevice()
    const page = await pages.open()
    await page.locator('input[name=csrf_token]').evaluateAll((fields) => {
      for (const field of fields) (field as HTMLInputElement).value = 'x'.repeat(86)
    })
    await rowOf(page, 'Safari on iOS')
      .getByRole('button', { name: /^Sign out/ })
      .click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('alert').getByText('This page is out of date.').waitFor()
    await page.getByRole('button', { name: 'Reload the page' }).click()
    await page.waitForLoadState()
    expect(await rowOf(page, 'Safari on iOS').count()).toBe(1)
  })

  it('lets the page add headers or cancel a request', async () => {
    await pages.site.addDevice()
    const page = await pages.open()
    const sent: (string | undefined)[] = []
    page.on('request', (request) => {
      if (request.method() === 'DELETE') sent.push(request.headers()['x-extra'])
    })
    await page.evaluate(() => {
      document.addEventListener('request', (event) => {
        const { detail } = event as CustomEvent<{ method: string; headers: Headers }>
        detail.headers.set('x-extra', 'yes')
        if (detail.method === 'PATCH') event.preventDefault()
      })
    })
    const row = rowOf(page, 'Safari on iOS')
    await row.locator('summary').click()
    await row.getByRole('button', { name: 'Save' }).click()
    await row.getByRole('button', { name: /^Sign out/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
    await expect.poll(() => rowOf(page, 'Safari on iOS').count()).toBe(0)
    expect(sent).toEqual(['yes'])
  })
})

describe('<trusted-devices> without a list rendered on the server', { timeout: 60_000 }, () => {
  const pages = useDevicesSite()

  it('fetches the list page by page', async () => {
    for (let count = 0; count < 3; count++) await pages.site.addDevice()
    const page = await pages.open({ html: '<trusted-devices page-size="2"></trusted-devices>' })
    await page.getByText('List loaded just now').waitFor()
    const more = page.getByRole('button', { name: 'Show more devices' })
    await more.focus()
    await reload(page)
    expect(await more.evaluate((element) => element === document.activeElement)).toBe(true)
    await more.press('Enter')
    await expect.poll(() => page.locator('.td-device').count()).toBe(4)
    expect(await page.locator('.td-badge').count()).toBe(1)
    await rowOf(page, 'Safari on iOS')
      .first()
      .getByRole('button', { name: /^Sign out/ })
      .click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
    await expect.poll(() => page.locator('.td-device').count()).toBe(3)
  })

  it('reports that the server cannot be reached, and offers a retry', async () => {
    const page = await pages.open()
    await page.route('**/trusted-devices?*', (route) => route.abort())
    pages.site.look = { html: '<trusted-devices></trusted-devices>' }
    await page.reload()
    await page.getByRole('alert').getByText('The server could not be reached').waitFor()
    await page.unroute('**/trusted-devices?*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.locator('.td-device[data-current]').waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  it('is translated to German and French, and accepts other texts', async () => {
    await pages.site.addDevice()
    const page = await pages.open({
      html: '<trusted-devices></trusted-devices>',
      root: 'lang="de-AT"',
    })
    await page.getByRole('button', { name: 'Überall sonst abmelden' }).waitFor()
    expect(await rowOf(page, 'Safari on iOS').innerText()).toContain('Berlin, Deutschland')
    pages.site.look = { html: '<trusted-devices></trusted-devices>', root: 'lang="fr"' }
    await page.reload()
    await page.getByRole('button', { name: 'Se déconnecter partout' }).waitFor()
    const strings = JSON.stringify({ revokeAll: 'Bye everywhere' }).replaceAll('"', '&quot;')
    pages.site.look = {
      html: `<trusted-devices strings="${strings}"></trusted-devices>`,
      root: 'lang="xx"',
    }
    await page.reload()
    await page.getByRole('button', { name: 'Bye everywhere' }).waitFor()
  })

  it('accepts a fetch function and texts that were set before the element is defined', async () => {
    const page = await pages.open({ html: '<p>nothing</p>' })
    await page.evaluate(async () => {
      const body = JSON.stringify({ username: 'ada', password: 'pw' })
      const headers = { 'content-type': 'application/json' }
      const { access } = await (
        await fetch('/trusted-devices/token', { method: 'POST', headers, body })
      ).json()
      // Elements of a document without a window are not upgraded, so they keep plain properties.
      const list = document.implementation.createHTMLDocument().createElement('trusted-devices')
      const send = (url: string, init: RequestInit): Promise<Response> => {
        const own = new Headers(init.headers)
        own.set('authorization', `Bearer ${access}`)
        return fetch(url, { ...init, headers: own, credentials: 'omit' })
      }
      Object.assign(list, { fetch: send, strings: { thisDevice: 'Here' } })
      document.body.append(list)
    })
    await page.getByText('Here', { exact: true }).waitFor()
    expect(await page.locator('.td-device').count()).toBe(2)
    await page
      .locator('.td-device:not([data-current])')
      .getByRole('button', { name: /^Sign out/ })
      .click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
    await expect.poll(() => page.locator('.td-device').count()).toBe(1)
  })
})
