import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { useTestSite } from '../support/test-site.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

describe('the dialogs of the editor', () => {
  const site = useTestSite()
  const dialog = (page: Page) => page.getByRole('dialog')
  const closeIconWidth = (page: Page): Promise<number> =>
    page.locator('.md-editor-close svg').evaluate((icon) => {
      const { paddingLeft, paddingRight } = getComputedStyle(icon)
      return icon.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight)
    })

  it('are not part of the form: no field, no event, no submit', async () => {
    const { page, button } = await site.open({ fields: { body: 'text' } })
    await page.evaluate(() => {
      const recorded: string[] = []
      Object.assign(globalThis, { recorded })
      for (const name of ['keydown', 'input', 'change', 'paste', 'submit', 'formdata']) {
        document.querySelector('form')?.addEventListener(name, () => recorded.push(name))
      }
    })
    await button('Link').click()
    const address = page.getByLabel('Address')
    await address.pressSequentially('bad address')
    await address.press('Enter')
    await page.getByLabel('Title').fill('x')
    const fields = await page.evaluate(() =>
      [...(document.querySelector('form')?.elements ?? [])].map((field) => field.className),
    )
    expect(fields).not.toContain('md-editor-input')
    expect(
      await page.evaluate(() => (globalThis as unknown as { recorded: string[] }).recorded),
    ).toEqual([])
    expect(site.server.saved).toEqual([])
  })

  it('undo and redo only what was typed in them', async () => {
    const { page, text } = await site.open()
    const undoneTexts = async (): Promise<string[]> => {
      const texts: string[] = []
      while (texts.at(-1) !== '' && texts.length < 9) {
        await text.press('Control+z')
        texts.push(await text.inputValue())
      }
      return texts
    }
    const typeText = async (): Promise<void> => {
      await text.pressSequentially('Hello')
      await text.press('Enter')
      await text.pressSequentially('abc')
    }
    await typeText()
    const expected = await undoneTexts()
    expect(expected.at(-1)).toBe('')

    await typeText()
    const undoAndRedo = async (): Promise<void> => {
      for (const key of ['z', 'z', 'y', 'y']) await page.keyboard.press(`Control+${key}`)
    }
    await text.press('F1')
    await dialog(page).waitFor()
    await undoAndRedo()
    await dialog(page).getByRole('button', { name: 'Close' }).focus()
    await undoAndRedo()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    const address = page.getByLabel('Address')
    await address.pressSequentially('exa')
    await page.keyboard.press('Control+z')
    expect(await address.inputValue()).toBe('')
    await page.keyboard.press('Control+z')
    await page.keyboard.press('Control+y')
    expect(await address.inputValue()).toBe('exa')
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
    expect(await text.inputValue()).toBe('Hello\nabc')
    expect(await undoneTexts()).toEqual(expected)
  })

  it('handle their own pastes', async () => {
    const { page, text, button, select } = await site.open({ fields: { body: 'text' } })
    await select(0, 4)
    await button('Link').click()
    const taken = await page.getByLabel('Text').evaluate((field) => {
      const event = new ClipboardEvent('paste', {
        bubbles: true,
        cancelable: true,
        clipboardData: new DataTransfer(),
      })
      event.clipboardData?.setData('text/html', '<b>bold</b>')
      event.clipboardData?.setData('text/plain', 'https://example.org')
      event.clipboardData?.items.add(new File(['x'], 'a.png', { type: 'image/png' }))
      return !field.dispatchEvent(event)
    })
    expect(taken).toBe(false)
    await page.keyboard.press('Escape')
    expect(await text.inputValue()).toBe('text')
    expect(site.server.files).toEqual([])
  })

  it('do not open for a read-only text, except for the help', async () => {
    const { page, button } = await site.open({ widget: { attrs: { readonly: true } } })
    await button('Link').dispatchEvent('click')
    await button('Help').click()
    await dialog(page).getByRole('heading', { name: 'Help' }).waitFor()
    expect(await dialog(page).count()).toBe(1)
  })

  it('report a failed load, and open on the next try', async () => {
    const { page, button } = await site.open()
    await page.route('**/dialogs-*.js', (route) => route.abort(), { times: 1 })
    await button('Link').click()
    await page.getByText('could not be loaded').first().waitFor()
    await button('Link').click()
    await dialog(page).waitFor()
  })

  it('close when the editor is removed', async () => {
    const { page, button } = await site.open()
    await button('Help').click()
    await dialog(page).waitFor()
    await page.locator('markdown-editor').evaluate((editor) => editor.remove())
    await dialog(page).waitFor({ state: 'detached' })
  })

  it.each([
    ['Image', 'en'],
    ['Link', 'en'],
    ['Embed', 'en'],
    ['Bild', 'de'],
    ['Image', 'fr'],
  ])('show all of the focused control and the foot: %s, %s', async (name, locale) => {
    const options = { viewport: { width: 360, height: 360 }, hasTouch: true, isMobile: true }
    const parts = { fields: { body: '![b](/c)' }, widget: { locale } }
    const { page, select, press } = await site.open(parts, options)
    await select(4, 4)
    await press(name)
    await dialog(page).waitFor()
    const isShown = (selector: string): Promise<boolean> =>
      page.locator(selector).evaluate((element) => {
        const { left, top, bottom } = element.getBoundingClientRect()
        const ends = [top + 1, bottom - 1].map((y) => document.elementFromPoint(left + 9, y))
        return ends.every((each) => each === element || element.contains(each))
      })
    expect(await isShown(':focus')).toBe(true)
    const count = await dialog(page).locator('button, input').count()
    for (let at = 1; at < count; at++) {
      await page.keyboard.press('Shift+Tab')
      if (await page.evaluate(() => document.activeElement !== document.body))
        expect(await isShown(':focus')).toBe(true)
      expect(await isShown('.md-editor-main')).toBe(true)
    }
  })

  it.each([
    ['light', 1280],
    ['dark', 320],
  ] as const)('pass axe and fit: %s, %i px', { timeout: 60_000 }, async (colorScheme, width) => {
    const body = '| a |\n| - |\n\n'
    const options = {
      colorScheme,
      viewport: { width, height: 700 },
      reducedMotion: 'reduce' as const,
    }
    const { page, select, press } = await site.open({ fields: { body } }, options)
    await page.evaluate(() => {
      const styles = new CSSStyleSheet()
      styles.replaceSync('button, svg { all: revert }') // As in the style sheets of some pages.
      document.adoptedStyleSheets.push(styles)
    })
    const flaws: string[] = []
    const check = async (name: string, caret: number): Promise<void> => {
      await select(caret, caret)
      await press(name)
      await dialog(page).waitFor()
      await page.evaluate(axe)
      const { violations } = (await page.evaluate('axe.run(document)')) as {
        violations: { id: string }[]
      }
      flaws.push(...violations.map(({ id }) => `${name}: ${id}`))
      const box = await dialog(page).boundingBox()
      if (box === null || box.x < 0 || box.x + box.width > width) flaws.push(`${name}: too wide`)
      if ((await closeIconWidth(page)) < 16) flaws.push(`${name}: no icon to close`)
      await page.keyboard.press('Escape')
      await dialog(page).waitFor({ state: 'detached' })
    }
    const names = ['Link', 'Image', 'Video', 'Document', 'Embed', 'Table', 'Help']
    for (const name of names) await check(name, body.length)
    await check('Table', 2)
    expect(flaws).toEqual([])
  })
})
