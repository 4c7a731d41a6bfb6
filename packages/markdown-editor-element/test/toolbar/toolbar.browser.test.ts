import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { TOOLBAR_BUTTONS, type ToolbarItem } from '../../src/contract/toolbar.ts'
import { useTestSite } from '../support/test-site.ts'

describe('the toolbar', () => {
  const site = useTestSite()
  const toolbar: readonly ToolbarItem[] = ['bold', 'italic', 'separator', 'link', 'undo']
  const focused = (page: Page): Promise<string | null> =>
    page.evaluate(
      () =>
        document.activeElement?.getAttribute('data-command') ??
        document.activeElement?.localName ??
        null,
    )

  it('is one tab stop; arrow keys, Home and End move inside, and wrap at the ends', async () => {
    const { page, text, button } = await site.open({ widget: { toolbar } })
    await page.getByRole('tab', { selected: true }).focus()
    await page.keyboard.press('Tab')
    expect(await focused(page)).toBe('bold')
    const steps = [
      ['ArrowRight', 'italic'],
      ['ArrowRight', 'link'],
      ['ArrowRight', 'undo'],
      ['ArrowRight', 'bold'],
      ['ArrowLeft', 'undo'],
      ['Home', 'bold'],
      ['End', 'undo'],
      ['ArrowDown', 'undo'],
      ['Control+ArrowLeft', 'undo'],
    ] as const
    for (const [key, name] of steps) {
      await page.keyboard.press(key)
      expect(`${key} ${await focused(page)}`).toBe(`${key} ${name}`)
    }
    // Tab leaves the toolbar. Shift+Tab returns to the same button.
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(
      'Help',
    )
    await page.keyboard.press('Shift+Tab')
    expect(await focused(page)).toBe('undo')
    expect(await button('Undo').evaluate((element: HTMLElement) => element.tabIndex)).toBe(0)
    await text.focus()
    for (let times = 0; times < 3; times++) await page.keyboard.press('Shift+Tab')
    expect(await focused(page)).toBe('undo')
  })

  it('reverses its arrow keys in right-to-left pages', async () => {
    const { page, button } = await site.open({ widget: { toolbar } })
    await page.evaluate(() => document.documentElement.setAttribute('dir', 'rtl'))
    await button('Italic').focus()
    await page.keyboard.press('ArrowRight')
    expect(await focused(page)).toBe('bold')
    await page.keyboard.press('ArrowLeft')
    expect(await focused(page)).toBe('italic')
    const boxes = await Promise.all(['Bold', 'Italic'].map((name) => button(name).boundingBox()))
    expect(boxes[0]?.x).toBeGreaterThan(boxes[1]?.x ?? 0)
  })

  it('has names, shortcuts and states', async () => {
    const { page, button, select } = await site.open({ fields: { body: '**a** b' } })
    expect(await button('Bold').getAttribute('aria-keyshortcuts')).toBe('Control+B')
    expect(await button('Bold').getAttribute('title')).toBe('Bold (Ctrl+B)')
    expect(await button('Link').getAttribute('aria-pressed')).toBeNull()
    await select(3, 3)
    await page.locator('[aria-label=Bold][aria-pressed=true]').waitFor()
    await select(7, 7)
    await page.locator('[aria-label=Bold][aria-pressed=false]').waitFor()
  })

  it('does nothing for a read-only text, and stays focusable', async () => {
    const { page, text, button } = await site.open({ fields: { body: 'text' } })
    await text.evaluate((area: HTMLTextAreaElement) => {
      area.readOnly = true
    })
    await page.locator('[aria-label=Bold][aria-disabled=true]').waitFor()
    await button('Bold').focus()
    for (const name of await page.locator('.md-editor-toolbar button').all())
      await name.dispatchEvent('click')
    expect(await text.inputValue()).toBe('text')
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(await focused(page)).toBe('bold')
    await text.evaluate((area: HTMLTextAreaElement) => {
      area.readOnly = false
    })
    await page.locator('[aria-label=Bold]:not([aria-disabled])').waitFor()
  })

  it('shows the configured buttons and separators in their order', async () => {
    const { page } = await site.open({ widget: { toolbar } })
    const items = (): Promise<string[]> =>
      page
        .locator('.md-editor-rows > :not(.md-editor-break)')
        .evaluateAll((all) =>
          all.map((item) => item.getAttribute('data-command') ?? item.className.slice(10)),
        )
    expect(await items()).toEqual(toolbar)
    await page.locator('markdown-editor').evaluate((editor) => editor.removeAttribute('toolbar'))
    const all = (await items()).filter((item) => item !== 'separator')
    expect(all.sort()).toEqual(TOOLBAR_BUTTONS.toSorted())
  })

  it('has no buttons if the list is empty (F42)', async () => {
    const { page } = await site.open({ widget: { toolbar: [] } })
    expect(await page.locator('.md-editor-toolbar button').count()).toBe(0)
    expect(await page.getByRole('toolbar').count()).toBe(0)
    await page.getByRole('button', { name: 'Help' }).waitFor()
  })

  it('reports unknown names with the known ones, and shows the others', async () => {
    const { page, faults, button } = await site.open()
    await page
      .locator('markdown-editor')
      .evaluate((editor) => editor.setAttribute('toolbar', 'bold blink | marquee'))
    await expect.poll(() => faults.join()).toContain('blink, marquee')
    const report = faults.splice(0).join()
    for (const name of TOOLBAR_BUTTONS) expect(report).toContain(name)
    await button('Bold').waitFor()
  })

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
    expect(await focused(page)).toBe('bold')
    expect(await more.getAttribute('aria-expanded')).toBe('false')
    await page.keyboard.press('ArrowLeft')
    expect(await more.evaluate((element) => element === document.activeElement)).toBe(true)
    await page.keyboard.press('ArrowLeft')
    expect(await focused(page)).toBe('code-block')
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
    await expect.poll(() => focused(page)).toBe('bold')
    expect(await button('Bold').evaluate((element: HTMLElement) => element.tabIndex)).toBe(0)
  })

  it('hides the rows behind "…" when the keyboard moves on', async () => {
    const { page, button } = await site.open()
    const isExpanded = () => button('More').getAttribute('aria-expanded')
    await button('Bold').focus()
    await page.keyboard.press('End')
    expect(await isExpanded()).toBe('false')
    await page.keyboard.press('Space')
    expect(await focused(page)).toBe('undo')
    expect(await isExpanded()).toBe('true')
    await page.keyboard.press('End')
    expect(await focused(page)).toBe('horizontal-rule')
    await page.keyboard.press('ArrowRight')
    expect(await focused(page)).toBe('bold')
    expect(await isExpanded()).toBe('false')
    for (const [key, next] of [
      ['Tab', 'Help'],
      ['Shift+Tab', 'Write'],
    ] as const) {
      await button('More').focus()
      await page.keyboard.press('Enter')
      expect(await focused(page)).toBe('undo')
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
    expect(await focused(page)).toBe('button')
    await page.keyboard.press('ArrowDown')
    expect(await focused(page)).toBe('undo')
    await page.keyboard.press('ArrowDown')
    expect(await focused(page)).toBe('redo')
    await page.keyboard.press('ArrowUp')
    expect(await focused(page)).toBe('undo')
    await page.keyboard.press('ArrowUp')
    expect(await focused(page)).toBe('button')
    expect(await button('More').getAttribute('aria-expanded')).toBe('true')
  })

  it('lets the rows behind "…" scroll if they are higher than most of a window', async () => {
    const options = { viewport: { width: 360, height: 440 }, hasTouch: true, isMobile: true }
    const { page, button } = await site.open({}, options)
    await button('More').tap()
    const rows = page.locator('.md-editor-rows')
    expect((await rows.boundingBox())?.height).toBeLessThanOrEqual(308)
    await button('Horizontal rule').scrollIntoViewIfNeeded()
    expect(await rows.evaluate((element) => element.scrollTop)).toBeGreaterThan(0)
  })

  it('has tooltips only for names that are not visible', async () => {
    const { page, button } = await site.open()
    const title = (name: string) => page.locator(`[aria-label="${name}"]`).getAttribute('title')
    expect(await title('Embed')).toBe('Embed')
    await button('More').click()
    expect(await title('Embed')).toBe('')
    expect(await title('Strikethrough')).toBe('Ctrl+Shift+X')
    expect(await title('Bold')).toBe('Bold (Ctrl+B)')
    await button('More').click()
    expect(await title('Embed')).toBe('Embed')
  })

  it.each(['native', 'codemirror'] as const)(
    'shows if there is something to undo or to redo: %s',
    async (surface) => {
      const { page, button } = await site.open({ widget: { surface } })
      const field = page.getByRole('textbox', { name: 'body' })
      const shows = async (wanted: Record<string, string | null>): Promise<void> => {
        for (const [name, value] of Object.entries(wanted))
          await expect.poll(() => button(name).getAttribute('aria-disabled')).toBe(value)
      }
      await button('More').click()
      await field.focus()
      await shows({ Undo: 'true', Redo: 'true', Embed: null })
      await page.keyboard.type('word')
      await shows({ Undo: null, Redo: 'true' })
      await button('Undo').click()
      await shows({ Redo: null })
      await button('Redo').click()
      await shows({ Undo: null, Redo: 'true' })
    },
  )

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
    const { page, button } = await site.open({ widget: { toolbar } })
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

  it('offers heading levels in a menu inside the editor', async () => {
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

  it('opens the menu of headings above its button if there is no space below', async () => {
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

  it('uses the language of the editor, including one that the page adds', async () => {
    const { page } = await site.open({ widget: { locale: 'de' } })
    await page
      .getByRole('toolbar', { name: 'Formatierung' })
      .getByRole('button', { name: 'Fett' })
      .waitFor()
    await page.getByRole('button', { name: 'Hilfe' }).click()
    await page.getByText('Esc, dann Tab').waitFor()
    await page.keyboard.press('Escape')
    await page.evaluate(() => {
      const { locales } = customElements.get('markdown-editor') as unknown as {
        locales: Map<string, object>
      }
      locales.set('ar', { buttons: { bold: 'غامق' }, help: 'مساعدة', close: 'إغلاق' })
      const editor = document.querySelector('markdown-editor') as HTMLElement
      const parent = editor.parentElement as HTMLElement
      editor.remove()
      editor.setAttribute('locale', 'ar-EG')
      parent.append(editor)
    })
    await page.getByRole('button', { name: 'غامق' }).waitFor()
    await page.getByRole('button', { name: 'Italic' }).waitFor()
    await page.getByRole('button', { name: 'مساعدة' }).click()
    await page.getByRole('button', { name: 'إغلاق' }).waitFor()
  })
})

function shownButtons(page: Page): Promise<(string | null)[]> {
  return page.locator('.md-editor-rows').evaluate((rows) => {
    const { bottom } = rows.getBoundingClientRect()
    return [...rows.querySelectorAll('[data-command]')]
      .filter((button) => button.getBoundingClientRect().bottom <= bottom + 1)
      .map((button) => button.getAttribute('data-command'))
  })
}
