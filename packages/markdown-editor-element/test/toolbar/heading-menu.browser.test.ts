import { describe, expect, it } from 'vitest'
import { useTestSite } from '../support/test-site.ts'

describe('the menu of headings', () => {
  const site = useTestSite()

  it('offers the levels, and stays inside the editor', async () => {
    const { page, text, button, select } = await site.open({ fields: { body: 'one\n\n## two' } })
    await select(9, 9)
    await button('Heading').click()
    const menu = page.getByRole('menu', { name: 'Heading' })
    await menu.waitFor()
    expect(await page.locator(':focus').textContent()).toContain('Heading 2')
    expect(await page.locator(':focus').getAttribute('aria-checked')).toBe('true')
    const [inner, outer] = await Promise.all([
      menu.boundingBox(),
      page.locator('markdown-editor').boundingBox(),
    ])
    expect(inner?.x).toBeGreaterThanOrEqual(outer?.x ?? Number.NaN)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    expect(await text.inputValue()).toBe('one\n\n### two')
    expect(await text.evaluate((element) => element === document.activeElement)).toBe(true)
    expect(await menu.count()).toBe(0)
    await button('Heading').click()
    await menu.waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => menu.count()).toBe(0)
    expect(await text.inputValue()).toBe('one\n\n### two')
  })

  it('opens above its button if there is no space below', async () => {
    const { page, button } = await site.open()
    await button('Heading').evaluate((element) => {
      document.body.style.paddingBlockStart = '900px'
      element.scrollIntoView({ block: 'end' })
    })
    await button('Heading').click()
    const menu = page.getByRole('menu', { name: 'Heading' })
    const [inner, outer] = await Promise.all([menu.boundingBox(), button('Heading').boundingBox()])
    if (inner === null || outer === null) throw new Error('The menu or its button is not shown.')
    expect(inner.y).toBeGreaterThanOrEqual(0)
    expect(inner.y + inner.height).toBeLessThanOrEqual(outer.y)
  })
})
