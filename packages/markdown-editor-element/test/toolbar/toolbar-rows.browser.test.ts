import { describe, expect, it } from 'vitest'
import { TOOLBAR_BUTTONS } from '../../src/contract/toolbar.ts'
import { useTestSite } from '../support/test-site.ts'
import { focusedCommand, shownButtons } from './toolbar-state.ts'

describe('a toolbar with more buttons than one row', () => {
  const site = useTestSite()

  it('shows twelve buttons, with an image among the first seven, and the others behind "…"', async () => {
    const { page, button } = await site.open()
    const more = page.getByRole('button', { name: 'More' })
    await more.waitFor()
    const first = await shownButtons(page)
    expect(first).toHaveLength(12)
    expect(first.slice(0, 7)).toContain('image')
    expect(await more.getAttribute('aria-expanded')).toBe('false')
    await more.click()
    expect((await shownButtons(page)).sort()).toEqual(TOOLBAR_BUTTONS.toSorted())
    await more.click()
    expect(await shownButtons(page)).toEqual(first)
    // The arrow keys reach "…", and do not open it.
    await button('Code block').focus()
    await page.keyboard.press('ArrowRight')
    expect(await more.evaluate((element) => element === document.activeElement)).toBe(true)
    await page.keyboard.press('ArrowRight')
    expect(await focusedCommand(page)).toBe('bold')
    expect(await more.getAttribute('aria-expanded')).toBe('false')
    await page.keyboard.press('ArrowLeft')
    expect(await more.evaluate((element) => element === document.activeElement)).toBe(true)
    await page.keyboard.press('ArrowLeft')
    expect(await focusedCommand(page)).toBe('code-block')
    expect(await shownButtons(page)).toEqual(first)
  })

  it('hides the buttons behind "…" from screen readers', async () => {
    const { page } = await site.open()
    const tree = (): Promise<string> => page.getByRole('toolbar').ariaSnapshot()
    const names = (await tree()).match(/(?<=- button ")[^"]+/g)
    expect(names?.join(', ')).toBe(
      'Bold, Italic, Heading, Quote, Link, Image, Code, Bulleted list, Numbered list, Task list, ' +
        'Table, Code block, More',
    )
    await page.getByRole('button', { name: 'More' }).click()
    for (const name of ['Undo', 'Embed', 'Horizontal rule'])
      expect(await tree()).toContain(`- button "${name}"`)
    await page.locator('markdown-editor').evaluate((editor) => {
      editor.setAttribute('toolbar', 'bold embed')
      editor.removeAttribute('toolbar')
    })
    await page.getByRole('button', { name: 'More' }).click()
    expect(await tree()).not.toContain('Embed')
  })

  it('stays a tab stop if the button with the focus no longer fits', async () => {
    const { page, button } = await site.open()
    await button('Code block').focus()
    await page.setViewportSize({ width: 360, height: 700 })
    await expect.poll(() => focusedCommand(page)).toBe('bold')
    expect(await button('Bold').evaluate((element: HTMLElement) => element.tabIndex)).toBe(0)
  })

  it('hides the rows behind "…" when the keyboard moves on', async () => {
    const { page, button } = await site.open()
    const isExpanded = () => button('More').getAttribute('aria-expanded')
    await button('Bold').focus()
    await page.keyboard.press('End')
    expect(await isExpanded()).toBe('false')
    await page.keyboard.press('Space')
    expect(await focusedCommand(page)).toBe('undo')
    expect(await isExpanded()).toBe('true')
    await page.keyboard.press('End')
    expect(await focusedCommand(page)).toBe('horizontal-rule')
    await page.keyboard.press('ArrowRight')
    expect(await focusedCommand(page)).toBe('bold')
    expect(await isExpanded()).toBe('false')
    for (const [key, next] of [
      ['Tab', 'Help'],
      ['Shift+Tab', 'Write'],
    ] as const) {
      await button('More').focus()
      await page.keyboard.press('Enter')
      expect(await focusedCommand(page)).toBe('undo')
      await page.keyboard.press(key)
      expect(await isExpanded()).toBe('false')
      const { name } = await page.locator(':focus').evaluate((element) => ({
        name: element.ariaLabel ?? element.textContent,
      }))
      expect(name).toBe(next)
    }
  })

  it('lets the up and down arrow keys move when the rows behind "…" are shown', async () => {
    const { page, button } = await site.open()
    await button('More').focus()
    await page.keyboard.press('ArrowUp')
    expect(await focusedCommand(page)).toBe('button')
    await page.keyboard.press('ArrowDown')
    expect(await focusedCommand(page)).toBe('undo')
    await page.keyboard.press('ArrowDown')
    expect(await focusedCommand(page)).toBe('redo')
    await page.keyboard.press('ArrowUp')
    expect(await focusedCommand(page)).toBe('undo')
    await page.keyboard.press('ArrowUp')
    expect(await focusedCommand(page)).toBe('button')
    expect(await button('More').getAttribute('aria-expanded')).toBe('true')
  })

  it('shows half of a row at the edge if not all rows behind "…" fit', async () => {
    const options = { viewport: { width: 360, height: 380 }, hasTouch: true, isMobile: true }
    const { page, button } = await site.open({}, options)
    await button('More').tap()
    const rows = page.locator('.md-editor-rows')
    expect((await rows.boundingBox())?.height).toBe(3.5 * 44)
    await button('Horizontal rule').scrollIntoViewIfNeeded()
    expect(await rows.evaluate((element) => element.scrollTop)).toBeGreaterThan(0)
    await page.setViewportSize({ width: 360, height: 740 })
    expect(await rows.evaluate((e) => e.scrollHeight - e.clientHeight)).toBe(0)
  })

  it('stays in its place when its rows appear and disappear', async () => {
    const options = { viewport: { width: 360, height: 380 }, hasTouch: true, isMobile: true }
    const body = 'line\n'.repeat(60)
    const parts = { fields: { body, other: '' }, before: '<p>before</p>'.repeat(9) }
    const { page, text, button } = await site.open(parts, options)
    await text.tap()
    const toolbarY = () =>
      page
        .getByRole('toolbar')
        .first()
        .evaluate((e) => e.getBoundingClientRect().y)
    for (const top of [220, 260, 300, 500, 600]) {
      await page.evaluate((y) => scrollTo(0, y), top)
      const before = await toolbarY()
      for (const isExpanded of ['true', 'false']) {
        // Playwright's own tap would scroll first.
        const { x = 0, y = 0 } = (await button('More').boundingBox()) ?? {}
        await page.touchscreen.tap(x + 22, y + 22)
        expect(await button('More').getAttribute('aria-expanded')).toBe(isExpanded)
        await page.evaluate(() => new Promise(requestAnimationFrame))
        expect([top, await toolbarY()]).toEqual([top, before])
      }
    }
  })

  it('shows separators only between buttons', async () => {
    const { button, page } = await site.open({}, { viewport: { width: 800, height: 700 } })
    await button('Full screen').click()
    await page.locator('.md-editor-main').waitFor()
    await button('More').click()
    const ends = await page
      .locator('.md-editor-separator + .md-editor-named')
      .evaluateAll((all) =>
        all.filter(({ previousElementSibling: separator }) => separator?.checkVisibility()),
      )
    expect(ends).toEqual([])
  })

  it('hides the rows behind "…" after a press of one of their buttons, and on Escape', async () => {
    const { page, text, button } = await site.open({ fields: { body: 'word' } })
    const more = button('More')
    const isExpanded = () => more.getAttribute('aria-expanded')
    await more.waitFor()
    const first = await shownButtons(page)
    await more.click()
    await button('Strikethrough').click()
    expect(await isExpanded()).toBe('false')
    expect(await text.inputValue()).toContain('~~')
    await more.click()
    await button('Undo').click()
    expect(await isExpanded()).toBe('true')
    await button('Highlight').focus()
    await page.keyboard.press('Escape')
    expect(await isExpanded()).toBe('false')
    expect(await shownButtons(page)).toEqual(first)
    expect(await more.evaluate((element) => element === document.activeElement)).toBe(true)
  })

  it('shows Undo in the first row of a phone, and the text after undo and redo', async () => {
    const options = { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true }
    const lines = Array.from({ length: 40 }, (_, index) => `line ${index}`).join('\n')
    const { page, text, button } = await site.open({ fields: { body: lines } }, options)
    await text.press('Control+End')
    await page.keyboard.type(' typed')
    const shown = await shownButtons(page)
    expect(shown.slice(0, 7)).toEqual(expect.arrayContaining(['undo', 'image']))
    for (const [name, isOpen, written] of [
      ['Undo', false, lines],
      ['Redo', true, `${lines} typed`],
      ['Undo', true, lines],
    ] as const) {
      if (isOpen) await button('More').tap()
      await button(name).tap()
      expect(await button('More').getAttribute('aria-expanded')).toBe('false')
      expect(await text.inputValue()).toBe(written)
      // The last line, which was changed, is visible.
      const { y = 0, height = 0 } = (await text.boundingBox()) ?? {}
      const below = await text.evaluate((e) => {
        const padding = Number.parseFloat(getComputedStyle(e).paddingBottom)
        return e.scrollHeight - e.clientHeight - e.scrollTop - padding
      })
      expect(y + height + below).toBeLessThanOrEqual(640)
    }
  })

  it('shows its first row again after its rows were scrolled in full screen', async () => {
    const options = { viewport: { width: 360, height: 440 }, hasTouch: true, isMobile: true }
    const { page, button } = await site.open({ fields: { body: 'word' } }, options)
    await button('Full screen').tap()
    await page.locator('markdown-editor[data-fullscreen]').waitFor()
    const first = await shownButtons(page)
    for (const closing of ['More', 'Horizontal rule']) {
      await button('More').tap()
      await button('Redo').scrollIntoViewIfNeeded()
      expect(await page.locator('.md-editor-rows').evaluate((e) => e.scrollTop)).toBeGreaterThan(0)
      await button(closing).tap()
      expect(await page.locator('.md-editor-rows').evaluate((e) => e.scrollTop)).toBe(0)
      expect(await shownButtons(page)).toEqual(first)
    }
  })

  it('has no "…" if everything fits', async () => {
    const { page, button } = await site.open({ widget: { toolbar: ['bold', 'italic', 'undo'] } })
    await button('Undo').waitFor()
    expect(await page.getByRole('button', { name: 'More' }).count()).toBe(0)
  })

  it.each([
    [320, 16],
    [360, 16],
    [360, 10],
  ])(
    'is one row at %i px, with touch targets, in a page with a font of %i px',
    async (width, font) => {
      const options = { viewport: { width, height: 700 }, hasTouch: true, isMobile: true }
      const { page } = await site.open({}, options)
      await page.evaluate((size) => {
        document.documentElement.style.fontSize = `${size}px`
      }, font)
      const more = page.getByRole('button', { name: 'More' })
      await more.waitFor()
      const first = await shownButtons(page)
      expect(first.length).toBeGreaterThan(3)
      expect(first.length).toBeLessThan(10)
      const sizes = await page
        .locator('.md-editor-button:visible, .md-editor-tab:visible')
        .evaluateAll((all) =>
          all
            .map((item) => item.getBoundingClientRect())
            .map(({ width, height }) => Math.min(width, height)),
        )
      expect(Math.min(...sizes)).toBeGreaterThan(43.99) // 44, except for rounding.
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
      // Both rows of buttons end at the same distance from the edge.
      const [end, last] = await Promise.all([
        more.boundingBox(),
        page.getByRole('button', { name: 'Full screen' }).boundingBox(),
      ])
      expect(last?.x).toBeCloseTo(end?.x ?? 0, 1)
      await more.tap()
      expect((await shownButtons(page)).sort()).toEqual(TOOLBAR_BUTTONS.toSorted())
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
    },
  )
})
