import { describe, expect, it } from 'vitest'
import { useDevicesSite } from './support/use-devices-site.ts'

describe('the appearance of the list', { timeout: 90_000 }, () => {
  const pages = useDevicesSite()

  it.each(['light', 'dark'] as const)('is accessible: %s', async (colorScheme) => {
    await pages.site.addDevice()
    const page = await pages.open({}, { colorScheme })
    expect(await pages.findFaults(page)).toEqual([])
    await page.locator('summary').first().click()
    await page.getByRole('button', { name: 'Sign out Safari on iOS' }).click()
    expect(await pages.findFaults(page)).toEqual([])
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('status').getByText('was signed out').waitFor()
    expect(await pages.findFaults(page)).toEqual([])
  })

  it.each(['ltr', 'rtl'])('fits into 320 px: %s', async (dir) => {
    await pages.site.addDevice(`Mozilla/5.0 ${'x'.repeat(200)}`)
    const page = await pages.open(
      { root: `lang="de" dir="${dir}"` },
      { viewport: { width: 320, height: 600 } },
    )
    const row = page.locator('.td-device').first()
    await row.locator('summary').click()
    const overflow = () =>
      page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      )
    expect(await overflow()).toBe(0)
    await page.locator('form[data-operation=revoke] button').first().click()
    const box = await page.getByRole('dialog').boundingBox()
    expect(box && box.x >= 0 && box.x + box.width <= 320).toBe(true)
    expect(await overflow()).toBe(0)
    const [icon, facts] = await Promise.all(
      ['.td-icon', '.td-facts'].map((part) => row.locator(part).boundingBox()),
    )
    expect((icon?.x ?? 0) > (facts?.x ?? 0)).toBe(dir === 'rtl')
  })

  it('marks the current device in forced colors', async () => {
    const page = await pages.open({}, { forcedColors: 'active', reducedMotion: 'reduce' })
    expect(
      await page.locator('[data-current]').evaluate((row) => getComputedStyle(row).borderWidth),
    ).toBe('2px')
    expect(
      await page.locator('.td-list').evaluate((list) => getComputedStyle(list).transitionDuration),
    ).toBe('0s')
  })

  it('uses the accent color of the page', async () => {
    const page = await pages.open({})
    await page.evaluate(() =>
      document.documentElement.style.setProperty('--trusted-devices-accent', 'rgb(1, 2, 3)'),
    )
    expect(
      await page.locator('[data-current]').evaluate((row) => getComputedStyle(row).borderTopColor),
    ).toBe('rgb(1, 2, 3)')
  })
})

describe('the list without JavaScript', { timeout: 60_000 }, () => {
  const pages = useDevicesSite()

  it('renames, revokes and signs out everywhere', async () => {
    await pages.site.addDevice()
    await pages.site.addDevice('curl/8')
    const page = await pages.open({}, { javaScriptEnabled: false })
    const phone = page.locator('.td-device', { hasText: 'Safari on iOS' })
    await phone.locator('summary').click()
    await phone.getByRole('textbox').fill('My phone')
    await phone.getByRole('button', { name: 'Save' }).click()
    await page.getByText('My phone').first().waitFor()
    await page.getByRole('button', { name: 'Sign out My phone' }).click()
    await expect.poll(() => page.locator('.td-device').count()).toBe(2)
    await page.getByRole('button', { name: 'Sign out everywhere else' }).click()
    await expect.poll(() => page.locator('.td-device').count()).toBe(1)
    await page.getByRole('button', { name: 'Sign out everywhere', exact: true }).click()
    await page.waitForURL('**/signed-out')
  })

  it('links to the next page', async () => {
    for (let count = 0; count < 5; count++) await pages.site.addDevice()
    const page = await pages.open({}, { javaScriptEnabled: false })
    await page.getByRole('link', { name: 'Show more devices' }).click()
    await expect.poll(() => page.locator('.td-device').count()).toBe(2)
  })
})
