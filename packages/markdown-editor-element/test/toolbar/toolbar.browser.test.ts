import { describe, expect, it } from 'vitest'
import { TOOLBAR_BUTTONS, type ToolbarItem } from '../../src/contract/toolbar.ts'
import { useTestSite } from '../support/test-site.ts'
import { focusedCommand } from './toolbar-state.ts'

describe('the toolbar', () => {
  const site = useTestSite()
  const toolbar: readonly ToolbarItem[] = ['bold', 'italic', 'separator', 'link', 'undo']

  it('is one tab stop; arrow keys, Home and End move inside, and wrap at the ends', async () => {
    const { page, text, button } = await site.open({ widget: { toolbar } })
    await page.getByRole('tab', { selected: true }).focus()
    await page.keyboard.press('Tab')
    expect(await focusedCommand(page)).toBe('bold')
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
      expect(`${key} ${await focusedCommand(page)}`).toBe(`${key} ${name}`)
    }
    // Tab leaves the toolbar. Shift+Tab returns to the same button.
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(
      'Help',
    )
    await page.keyboard.press('Shift+Tab')
    expect(await focusedCommand(page)).toBe('undo')
    expect(await button('Undo').evaluate((element: HTMLElement) => element.tabIndex)).toBe(0)
    await text.focus()
    for (let times = 0; times < 3; times++) await page.keyboard.press('Shift+Tab')
    expect(await focusedCommand(page)).toBe('undo')
  })

  it.each(['native', 'codemirror'] as const)(
    'is reached from the text by Alt+F10; Escape returns to the selection: %s',
    async (surface) => {
      const { page, button } = await site.open({ widget: { surface }, fields: { body: 'a b c' } })
      await button('Full screen').click()
      const field = page.getByRole('textbox', { name: 'body' })
      await field.focus()
      await page.keyboard.press('Control+Home')
      await page.keyboard.press('ArrowRight')
      await page.keyboard.press('ArrowRight')
      await page.keyboard.press('Shift+ArrowRight')
      const toolbar = page.getByRole('toolbar')
      expect(await toolbar.getAttribute('aria-keyshortcuts')).toBe('Alt+F10')
      await page.keyboard.press('Alt+F10')
      expect(await focusedCommand(page)).toBe('bold')
      await page.keyboard.press('End')
      await page.keyboard.press('Enter')
      expect(await button('More').getAttribute('aria-expanded')).toBe('true')
      // The first Escape hides the rows. The second returns to the text.
      await page.keyboard.press('Escape')
      expect(await button('More').evaluate((e) => e === document.activeElement)).toBe(true)
      await page.keyboard.press('Escape')
      expect(await field.evaluate((e) => e === document.activeElement)).toBe(true)
      expect(await page.locator('markdown-editor[data-fullscreen]').count()).toBe(1)
      await page.keyboard.type('X')
      const value = () => page.locator('markdown-editor').evaluate((e) => Reflect.get(e, 'value'))
      expect(await value()).toBe('a X c')
      await page.keyboard.press('Alt+F10')
      expect(await button('More').evaluate((e) => e === document.activeElement)).toBe(true)
    },
  )

  it('reverses its arrow keys in right-to-left pages', async () => {
    const { page, button } = await site.open({ widget: { toolbar } })
    await page.evaluate(() => document.documentElement.setAttribute('dir', 'rtl'))
    await button('Italic').focus()
    await page.keyboard.press('ArrowRight')
    expect(await focusedCommand(page)).toBe('bold')
    await page.keyboard.press('ArrowLeft')
    expect(await focusedCommand(page)).toBe('italic')
    const boxes = await Promise.all(['Bold', 'Italic'].map((name) => button(name).boundingBox()))
    expect(boxes[0]?.x).toBeGreaterThan(boxes[1]?.x ?? 0)
  })

  it('has names, shortcuts and states', async () => {
    const { page, button, select } = await site.open({ fields: { body: '**a** b' } })
    expect(await button('Bold').getAttribute('aria-keyshortcuts')).toBe('Control+B')
    expect(await button('Link').getAttribute('aria-pressed')).toBeNull()
    await select(3, 3)
    await page.locator('[aria-label=Bold][aria-pressed=true]').waitFor()
    await select(7, 7)
    await page.locator('[aria-label=Bold][aria-pressed=false]').waitFor()
  })

  it('shows names and keys as tooltips, which are no descriptions', async () => {
    const { page, button } = await site.open()
    await button('More').click()
    const titleAt = (name: string, x: number) =>
      button(name).evaluate((element, offset) => {
        const { left, top } = element.getBoundingClientRect()
        const hit = document.elementFromPoint(left + offset, top + 2)
        return hit?.closest<HTMLElement>('[title]')?.title
      }, x)
    expect(await titleAt('Bold', 2)).toBe('Bold (Ctrl+B)')
    expect(await titleAt('Help', 2)).toBe('Help (F1)')
    expect(await titleAt('Full screen', 30)).toBe('Full screen')
    expect(await titleAt('Strikethrough', 2)).toBe('Strikethrough (Ctrl+Shift+X)')
    const session = await page.context().newCDPSession(page)
    const { nodes } = await session.send('Accessibility.getFullAXTree')
    const buttons = nodes.filter(({ role }) => role?.value === 'button')
    expect(buttons.length).toBeGreaterThan(TOOLBAR_BUTTONS.length)
    for (const { name, description } of buttons)
      expect(`${name?.value}: ${description?.value ?? ''}`).toBe(`${name?.value}: `)
    await session.detach()
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
    expect(await focusedCommand(page)).toBe('bold')
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

  it.each(['native', 'codemirror'] as const)(
    'shows if there is something to undo or to redo: %s',
    async (surface) => {
      const { page, button } = await site.open({
        widget: { surface },
        before: '<label>Title <input></label>',
      })
      const field = page.getByRole('textbox', { name: 'body' })
      const shows = async (wanted: Record<string, string | null>): Promise<void> => {
        for (const [name, value] of Object.entries(wanted))
          await expect.poll(() => button(name).getAttribute('aria-disabled')).toBe(value)
      }
      await button('More').click()
      await page.getByLabel('Title').focus()
      await page.keyboard.type('A title') // In Chromium, all fields have one history.
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
