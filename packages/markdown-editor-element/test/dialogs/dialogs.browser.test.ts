import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { useTestSite } from '../support/test-site.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

describe('the dialogs of the editor', () => {
  const site = useTestSite()
  const dialog = (page: Page) => page.getByRole('dialog')

  describe('for links', () => {
    it('turn the selection into a link in one undo step, and keep it selected', async () => {
      const { page, text, select } = await site.open({ fields: { body: 'see here now' } })
      await select(4, 8)
      await page.keyboard.press('Control+k')
      await page.getByLabel('Text').waitFor()
      expect(await page.getByLabel('Text').inputValue()).toBe('here')
      await page.getByLabel('Address').pressSequentially('example.org/a')
      await page.keyboard.press('Enter')
      await dialog(page).waitFor({ state: 'detached' })
      expect(await text.inputValue()).toBe('see [here](https://example.org/a) now')
      expect(await selected(page)).toBe('here')
      expect(await spoken(page)).toBe('Inserted')
      expect(site.server.saved).toEqual([])
      await page.keyboard.press('Control+z')
      expect(await text.inputValue()).toBe('see here now')
    })

    it('change and remove the link at the caret', async () => {
      const { page, text, select, button } = await site.open({
        fields: { body: 'a [b *c*](/d "e") f' },
      })
      await select(4, 4)
      await button('Link').click()
      expect(await page.getByLabel('Address').inputValue()).toBe('/d')
      expect(await page.getByLabel('Title').inputValue()).toBe('e')
      await page.getByLabel('Address').fill('/x')
      await page.getByRole('button', { name: 'Apply' }).click()
      expect(await text.inputValue()).toBe('a [b *c*](/x "e") f')
      await button('Link').click()
      await page.getByRole('button', { name: 'Remove link' }).click()
      expect(await text.inputValue()).toBe('a b *c* f')
    })

    it('report an invalid address, and insert nothing', async () => {
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

    it('show an error if the text would be too long', async () => {
      const widget = { attrs: { maxlength: 9 } }
      const { page, text, button } = await site.open({ fields: { body: 'text' }, widget })
      await button('Link').click()
      await page.getByLabel('Address').fill('example.org')
      await page.keyboard.press('Enter')
      const notice = page.locator('.md-editor-notice')
      await notice.getByText('The text would be too long for this field.').waitFor()
      expect(await spoken(page)).toBe('The text would be too long for this field.')
      expect(await text.inputValue()).toBe('text')
    })

    it('use a selected address as the address', async () => {
      const { page, button, select } = await site.open({
        fields: { body: 'https://example.org/a' },
      })
      await select(0, 21)
      await button('Link').click()
      expect(await page.getByLabel('Address').inputValue()).toBe('https://example.org/a')
      expect(await page.getByLabel('Text').inputValue()).toBe('')
    })

    it('restore the selection and the focus on Escape', async () => {
      const { page, select } = await site.open({ fields: { body: 'see here now' } })
      await select(4, 8)
      await page.keyboard.press('Control+k')
      await dialog(page).waitFor()
      await page.keyboard.press('Escape')
      await dialog(page).waitFor({ state: 'detached' })
      expect(await selected(page)).toBe('here')
    })

    it('find their position in a text that has changed in the meantime', async () => {
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

    it('are skipped when a script runs the command', async () => {
      const { page, text, select } = await site.open({ fields: { body: 'here' } })
      await select(0, 4)
      await page.evaluate(() => document.querySelector('markdown-editor')?.run('link'))
      await expect.poll(() => text.inputValue()).toBe('[here](url)')
      expect(await dialog(page).count()).toBe(0)
    })
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

  describe('for tables', () => {
    it('choose the size with the arrow keys', async () => {
      const { page, text, button } = await site.open()
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
      expect(await spoken(page)).toBe('Inserted. 3 columns, 3 rows')
      expect(await text.inputValue()).toMatch(
        /^\| Header \| Header \| Header \|\n\| -+ \| -+ \| -+ \|\n(\|( +\|){3}\n){2}\n$/,
      )
      expect(await selected(page)).toBe('Header')
      await page.keyboard.press('Control+z')
      expect(await text.inputValue()).toBe('')
    })

    it.each(['', '| a |\n| - |'])('stay within the editor: %j', async (body) => {
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

    it('choose the size by touch, and close on a tap outside', async () => {
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

    it('change the table at the caret, in one undo step', async () => {
      const body = 'text\n\n| a | b |\n|--|--|\n| c | d |'
      const { page, text, select, button } = await site.open({ fields: { body } })
      await select(body.length - 2, body.length - 2)
      await button('Table').click()
      await page.getByRole('button', { name: 'Insert after' }).click()
      expect(await spoken(page)).toBe('Row 2, column 3, empty')
      expect(await text.inputValue()).toBe(
        'text\n\n| a   | b   |     |\n| --- | --- | --- |\n| c   | d   |     |',
      )
      await page.keyboard.press('Control+z')
      expect(await text.inputValue()).toBe(body)
    })

    it('disable changes that are not possible', async () => {
      const { page, select, button } = await site.open({ fields: { body: '| a |\n| - |' } })
      await select(2, 2)
      await button('Table').click()
      for (const name of ['Remove row', 'Remove column']) {
        expect(await page.getByRole('button', { name }).isDisabled()).toBe(true)
      }
    })
  })

  it('show keys and markdown in the help, opened by button or F1', async () => {
    const { page, text, button } = await site.open()
    await text.focus()
    await page.keyboard.press('F1')
    for (const words of [
      'Ctrl+B',
      'Ctrl+Z',
      '**text**',
      'Esc, then Tab',
      'Tab, Shift+Tab, Enter',
      'Shift+Tab several times; arrow keys, Home, End',
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

  it('show Markdown before the keys in the help on touch screens', async () => {
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
  ])('find uploads in the help if there are any: %j', async (uploadUrl, words, wanted) => {
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
  ])('show the key names of the language in the help: %s', async (locale, all) => {
    const { page } = await site.open({ widget: { locale } })
    // The toolbar is shown and the keys work when the separate file with the texts is loaded.
    await page.getByRole('toolbar').waitFor()
    await page.locator('textarea').first().focus()
    await page.keyboard.press('F1')
    for (const words of all) await dialog(page).getByText(words, { exact: true }).first().waitFor()
  })

  it('close when the editor is removed', async () => {
    const { page, button } = await site.open()
    await button('Help').click()
    await dialog(page).waitFor()
    await page.locator('markdown-editor').evaluate((editor) => editor.remove())
    await dialog(page).waitFor({ state: 'detached' })
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
      await page.keyboard.press('Escape')
      await dialog(page).waitFor({ state: 'detached' })
    }
    for (const name of ['Link', 'Embed', 'Table', 'Help']) await check(name, body.length)
    await check('Table', 2)
    expect(flaws).toEqual([])
  })
})

const spoken = (page: Page): Promise<string | null> => page.locator('.md-editor-live').textContent()

function selected(page: Page): Promise<string> {
  return page.locator('textarea').evaluate((area: HTMLTextAreaElement) => {
    return area === document.activeElement
      ? area.value.slice(area.selectionStart, area.selectionEnd)
      : 'no focus'
  })
}
