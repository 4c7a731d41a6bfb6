import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { useTestSite } from '../support/test-site.ts'

const dialog = (page: Page) => page.getByRole('dialog')

describe('the dialog for tables', () => {
  const site = useTestSite()

  it('chooses the size with the arrow keys', async () => {
    const { page, text, button, selected, spoken } = await site.open()
    await button('Table').focus()
    await page.keyboard.press('Enter')
    await page.getByRole('gridcell', { name: '2 columns, 2 rows', exact: true }).waitFor()
    for (const key of ['ArrowRight', 'ArrowDown', 'ArrowDown', 'ArrowUp'])
      await page.keyboard.press(key)
    const focused = page.locator('[role=gridcell]:focus')
    expect(await focused.getAttribute('aria-label')).toBe('3 columns, 3 rows')
    await dialog(page).getByText('3 columns, 3 rows').waitFor()
    await dialog(page).getByText('The first row is the header.').waitFor()
    const grid = page.getByRole('grid', { description: 'The first row is the header.' })
    expect(await grid.count()).toBe(1)
    await page.keyboard.press('Enter')
    expect(await spoken()).toBe('Inserted. 3 columns, 3 rows')
    expect(await text.inputValue()).toMatch(
      /^\| Header \| Header \| Header \|\n\| -+ \| -+ \| -+ \|\n(\|( +\|){3}\n){2}\n$/,
    )
    expect(await selected()).toBe('Header')
    await page.keyboard.press('Control+z')
    expect(await text.inputValue()).toBe('')
  })

  it.each(['', '| a |\n| - |'])('stays within the editor: %j', async (body) => {
    const { page, select, button } = await site.open({ fields: { body } })
    await select(0, 0)
    await button('Table').click()
    const [inner, outer] = await Promise.all([
      dialog(page).boundingBox(),
      page.locator('markdown-editor').boundingBox(),
    ])
    if (inner === null || outer === null) throw new Error('They are not visible.')
    expect(inner.x).toBeGreaterThanOrEqual(outer.x)
    expect(inner.x + inner.width).toBeLessThanOrEqual(outer.x + outer.width)
  })

  it('chooses the size by touch, and closes on a tap outside', async () => {
    const { page, text, press } = await site.open(
      {},
      { hasTouch: true, viewport: { width: 320, height: 640 } },
    )
    await press('Table')
    await dialog(page).waitFor()
    await page.touchscreen.tap(10, 600)
    await dialog(page).waitFor({ state: 'detached' })
    await press('Table')
    await dialog(page).waitFor()
    const cells = page.getByRole('gridcell')
    expect(await cells.count()).toBe(36)
    const last = await cells.last().boundingBox()
    expect(Math.min(last?.width ?? 0, last?.height ?? 0)).toBeGreaterThan(43.99) // 44, rounded.
    expect((last?.x ?? 320) + (last?.width ?? 0)).toBeLessThanOrEqual(320)
    await page.getByRole('gridcell', { name: '4 columns, 1 row', exact: true }).tap()
    expect(await text.inputValue()).toMatch(/^\|( Header \|){4}\n\|( -+ \|){4}\n*$/)
  })

  it('shows the size on a short screen', async () => {
    const options = { hasTouch: true, viewport: { width: 360, height: 380 } }
    const { page, press } = await site.open({}, options)
    await press('Table')
    const size = await dialog(page)
      .getByText(/^\d columns?, \d/)
      .boundingBox()
    const { y = 0, height = 0 } = (await dialog(page).boundingBox()) ?? {}
    expect((size?.y ?? 380) + (size?.height ?? 0)).toBeLessThan(y + height)
  })

  it('changes the table at the caret, in one undo step', async () => {
    const body = 'text\n\n| a | b |\n|--|--|\n| c | d |'
    const { page, text, select, button, spoken } = await site.open({ fields: { body } })
    await select(body.length - 2, body.length - 2)
    await button('Table').click()
    await page.getByRole('button', { name: 'Insert after' }).click()
    expect(await spoken()).toBe('Inserted. Row 2, column 3, empty')
    expect(await text.inputValue()).toBe(
      'text\n\n| a   | b   |     |\n| --- | --- | --- |\n| c   | d   |     |',
    )
    await page.keyboard.press('Control+z')
    expect(await text.inputValue()).toBe(body)
    await button('Table').click()
    await page.getByRole('button', { name: 'Remove column' }).click()
    expect(await spoken()).toBe('Removed. Row 2, column 1')
  })

  it('disables changes that are not possible', async () => {
    const { page, select, button } = await site.open({ fields: { body: '| a |\n| - |' } })
    await select(2, 2)
    await button('Table').click()
    for (const name of ['Remove row', 'Remove column']) {
      expect(await page.getByRole('button', { name }).isDisabled()).toBe(true)
    }
  })
})
