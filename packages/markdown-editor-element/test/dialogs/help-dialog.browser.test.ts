import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { useTestSite } from '../support/test-site.ts'

const dialog = (page: Page) => page.getByRole('dialog')

describe('the help dialog', () => {
  const site = useTestSite()

  it('shows keys and Markdown, opened by button or F1', async () => {
    const { page, text, button } = await site.open()
    await text.focus()
    await page.keyboard.press('F1')
    for (const words of [
      'Ctrl+B',
      'Ctrl+Z',
      '**text**',
      'Esc, then Tab',
      'Tab, Shift+Tab, Enter',
      'Alt+F10',
    ]) {
      await dialog(page).getByText(words, { exact: true }).first().waitFor()
    }
    const help = dialog(page)
    expect(await help.getByText('Ctrl+Alt+1 … 6', { exact: true }).count()).toBe(1)
    expect(await help.getByText('F1', { exact: true }).count()).toBe(1)
    expect(await help.locator('dd > svg').count()).toBe(1)
    expect(await help.getByText('Ctrl+Alt+2', { exact: true }).count()).toBe(0)
    expect(await help.locator('dd > strong').textContent()).toBe('text')
    expect(await help.locator('dd td').allTextContents()).toEqual(['text', '1'])
    await page.keyboard.type('| TEXT |')
    await expect.poll(() => dialog(page).locator('dt').filter({ visible: true }).count()).toBe(1)
    expect(await dialog(page).getByRole('heading', { name: 'Keys' }).isVisible()).toBe(false)
    expect(await dialog(page).getByText('| text | text |').isVisible()).toBe(true)
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
    await expect.poll(() => text.evaluate((area) => area === document.activeElement)).toBe(true)
    await button('Help').focus()
    await page.keyboard.press('Enter')
    await dialog(page).waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    await dialog(page).waitFor({ state: 'detached' })
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(
      'Help',
    )
  })

  it('shows Markdown before the keys on touch screens', async () => {
    const viewport = { width: 360, height: 640 }
    const { page, button } = await site.open({}, { hasTouch: true, viewport })
    await button('Help').tap()
    const top = async (name: string): Promise<number> =>
      (await dialog(page).getByRole('heading', { name, exact: true }).boundingBox())?.y ?? 0
    expect(await top('Markdown')).toBeLessThan(await top('Keys'))
    const row = dialog(page).locator('.md-editor-row', { hasText: 'In a table' })
    expect(await row.locator('kbd').textContent()).toBe('Enter')
  })

  it.each([
    ['/md-editor/upload', ['upload', 'file', 'embed'], 1],
    ['', ['upload', 'file'], 0],
  ])('finds uploads if there are any: %j', async (uploadUrl, words, wanted) => {
    const { page } = await site.open({ defaults: { uploadUrl } })
    await page.getByRole('toolbar').waitFor()
    await page.locator('textarea').first().focus()
    await page.keyboard.press('F1')
    const found = dialog(page).locator('dt').filter({ visible: true })
    for (const word of words) {
      await dialog(page).getByLabel('Search').fill(word)
      await expect.poll(() => found.count()).toBe(wanted)
    }
  })

  it.each([
    ['de', ['Strg+B', 'Strg+Umschalt+X', 'Eingabe', 'Tab, Umschalt+Tab', '![Text](/bild.png)']],
    ['fr', ['Ctrl+B', 'Ctrl+Maj+X', 'Entrée', 'Tab, Maj+Tab', 'Échap, puis Tab']],
  ])('shows the key names of the language: %s', async (locale, all) => {
    const { page } = await site.open({ widget: { locale } })
    // The toolbar is shown and the keys work when the separate file with the texts is loaded.
    await page.getByRole('toolbar').waitFor()
    await page.locator('textarea').first().focus()
    await page.keyboard.press('F1')
    for (const words of all) await dialog(page).getByText(words, { exact: true }).first().waitFor()
  })
})
