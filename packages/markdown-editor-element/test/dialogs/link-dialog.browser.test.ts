import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { useTestSite } from '../support/test-site.ts'

const dialog = (page: Page) => page.getByRole('dialog')

describe('the dialog for links', () => {
  const site = useTestSite()

  it('turns the selection into a link in one undo step, and keeps it selected', async () => {
    const { page, text, select, selected, spoken } = await site.open({
      fields: { body: 'see here now' },
    })
    await select(4, 8)
    await page.keyboard.press('Control+k')
    await page.getByLabel('Text').waitFor()
    expect(await page.getByLabel('Text').inputValue()).toBe('here')
    await page.getByLabel('Address').pressSequentially('example.org/a')
    await page.keyboard.press('Enter')
    await dialog(page).waitFor({ state: 'detached' })
    expect(await text.inputValue()).toBe('see [here](https://example.org/a) now')
    expect(await selected()).toBe('here')
    expect(await spoken()).toBe('Inserted')
    expect(site.server.saved).toEqual([])
    await page.keyboard.press('Control+z')
    expect(await text.inputValue()).toBe('see here now')
  })

  it('changes and removes the link at the caret, and announces it', async () => {
    const { page, text, select, button, spoken } = await site.open({
      fields: { body: 'a [b *c*](/d "e") f' },
    })
    await select(4, 4)
    await button('Link').click()
    expect(await page.getByLabel('Address').inputValue()).toBe('/d')
    expect(await page.getByLabel('Title').inputValue()).toBe('e')
    await page.getByLabel('Address').fill('/x')
    await page.getByRole('button', { name: 'Apply' }).click()
    expect(await text.inputValue()).toBe('a [b *c*](/x "e") f')
    expect(await spoken()).toBe('Changed')
    await button('Link').click()
    await page.getByRole('button', { name: 'Remove link' }).click()
    expect(await text.inputValue()).toBe('a b *c* f')
    expect(await spoken()).toBe('Removed')
  })

  it('reports an invalid address, and inserts nothing', async () => {
    const { page, text, button } = await site.open()
    await button('Link').click()
    await page.getByLabel('Address').fill('javascript:alert(1)')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('javascript:').waitFor()
    expect(await page.getByLabel('Address').getAttribute('aria-invalid')).toBe('true')
    await page.getByLabel('Address').fill('/page')
    expect(await page.getByLabel('Address').getAttribute('aria-invalid')).toBeNull()
    await page.keyboard.press('Escape')
    expect(await text.inputValue()).toBe('')
  })

  it('shows an error if the text would be too long', async () => {
    const widget = { attrs: { maxlength: 9 } }
    const { page, text, button, spoken } = await site.open({ fields: { body: 'text' }, widget })
    await button('Link').click()
    await page.getByLabel('Address').fill('example.org')
    await page.keyboard.press('Enter')
    const notice = page.locator('.md-editor-notice')
    await notice.getByText('The text would be too long for this field.').waitFor()
    expect(await spoken()).toBe('The text would be too long for this field.')
    expect(await text.inputValue()).toBe('text')
  })

  it('uses a selected address as the address', async () => {
    const { page, button, select } = await site.open({
      fields: { body: 'https://example.org/a' },
    })
    await select(0, 21)
    await button('Link').click()
    expect(await page.getByLabel('Address').inputValue()).toBe('https://example.org/a')
    expect(await page.getByLabel('Text').inputValue()).toBe('')
  })

  it('restores the selection and the focus on Escape', async () => {
    const { page, select, selected } = await site.open({ fields: { body: 'see here now' } })
    await select(4, 8)
    await page.keyboard.press('Control+k')
    await dialog(page).waitFor()
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
    expect(await selected()).toBe('here')
  })

  it('finds its position in a text that has changed in the meantime', async () => {
    const { page, text, select } = await site.open({ fields: { body: 'see here now' } })
    await select(4, 8)
    await page.keyboard.press('Control+k')
    await page.getByLabel('Address').fill('/a')
    await text.evaluate((area: HTMLTextAreaElement) => {
      area.setRangeText('You ', 0, 0)
      area.dispatchEvent(new Event('input', { bubbles: true }))
    })
    await page.keyboard.press('Enter')
    await expect.poll(() => text.inputValue()).toBe('You see [here](/a) now')
  })

  it('is skipped when a script runs the command', async () => {
    const { page, text, select } = await site.open({ fields: { body: 'here' } })
    await select(0, 4)
    await page.evaluate(() => document.querySelector('markdown-editor')?.run('link'))
    await expect.poll(() => text.inputValue()).toBe('[here](url)')
    expect(await dialog(page).count()).toBe(0)
  })
})
