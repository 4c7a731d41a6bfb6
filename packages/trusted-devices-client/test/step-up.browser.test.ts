import { describe, expect, it } from 'vitest'
import { useDevicesSite } from './support/use-devices-site.ts'

describe('a list whose changes need a recent password', { timeout: 60_000 }, () => {
  const pages = useDevicesSite({ settings: { stepUpAge: 60, loginRateLimit: '2/hour' } })
  const old = (): Promise<unknown> =>
    pages.site.house.sql.execute(
      'UPDATE quillgate_device SET proved_at = 0, created_at = created_at - 1000000',
      [],
    )

  it('asks for the password, rejects a wrong one, and continues with the right one', async () => {
    await pages.site.addDevice()
    const page = await pages.open()
    await old()
    await page.getByRole('button', { name: 'Sign out Safari on iOS' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
    await page.locator('dialog input').fill('wrong')
    await page.locator('dialog input').press('Enter')
    await page.getByText('The password is wrong.').waitFor()
    expect(await pages.findFaults(page)).toEqual([])
    await page.locator('dialog input').fill('pw')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('Safari on iOS was signed out.').waitFor()
  })

  it('shows how long to wait after too many attempts, and changes nothing on cancel', async () => {
    await pages.site.addDevice()
    const page = await pages.open()
    await old()
    await page.getByRole('button', { name: 'Sign out Safari on iOS' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
    for (let tries = 0; tries < 3; tries++) {
      await page.locator('dialog input').fill('wrong')
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.locator('dialog .td-problem').waitFor()
    }
    await page.getByText(/Wait \d+ seconds/).waitFor()
    await page.keyboard.press('Escape')
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect((await pages.site.house.devices.registry.list('1')).devices).toHaveLength(2)
  })

  it('asks for the password without JavaScript', async () => {
    await pages.site.addDevice()
    const page = await pages.open({}, { javaScriptEnabled: false })
    await old()
    await page.getByRole('button', { name: 'Sign out Safari on iOS' }).click()
    await page.getByRole('alert').getByText('Enter your password to continue.').waitFor()
    await page.getByLabel('Password').fill('wrong')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('alert').getByText('The password is wrong.').waitFor()
    await page.getByLabel('Password').fill('pw')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.waitForURL('**/list')
    expect(await page.locator('.td-device').count()).toBe(1)
  })
})

describe('a list on a device without permissions', { timeout: 60_000 }, () => {
  const pages = useDevicesSite({
    settings: { defaultCanDeleteOthers: false, defaultCanEditOthers: false },
  })

  it('explains what the device may not do', async () => {
    await pages.site.addDevice()
    const page = await pages.open()
    await page.getByRole('button', { name: 'Sign out Safari on iOS' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
    await page
      .getByRole('alert')
      .getByText('This device is not allowed to sign out other devices.')
      .waitFor()
    const row = page.locator('.td-device', { hasText: 'Safari' })
    await row.locator('summary').click()
    await row.getByRole('button', { name: 'Save' }).click()
    await page
      .getByRole('alert')
      .getByText('This device is not allowed to change other devices.')
      .waitFor()
    expect(await page.getByRole('alert').count()).toBe(1)
  })

  it('explains it without JavaScript', async () => {
    await pages.site.addDevice()
    const page = await pages.open({}, { javaScriptEnabled: false })
    await page.getByRole('button', { name: 'Sign out Safari on iOS' }).click()
    await page
      .getByRole('alert')
      .getByText('This device is not allowed to sign out other devices.')
      .waitFor()
    expect(await page.locator('.td-device').count()).toBe(2)
  })
})
