import { describe, expect, it } from 'vitest'
import type { OpenPage, PageParts } from '../support/open-page.ts'
import { useTestSite } from '../support/test-site.ts'
import { loadWriting } from '../support/writing.ts'

// Each test is an expectation of users who tried the editor for the first time. They used a
// keyboard, a phone or a screen reader.
describe('the editor', () => {
  const site = useTestSite()
  const TITLE = '<label>Title <input name="title"></label>'

  const open = async (body: string, parts: PageParts = {}): Promise<OpenPage> => {
    const opened = await site.open({ fields: { body }, ...parts })
    await loadWriting(opened.page)
    return opened
  }
  const spoken = ({ page }: OpenPage): Promise<string | null> =>
    page.locator('.md-editor-live').textContent()

  it('redoes a block and the text after it at their positions', async () => {
    const { page, text, button } = await open('')
    await text.focus()
    await page.keyboard.type('Two ')
    await button('More').click()
    await button('Horizontal rule').click()
    await page.keyboard.type('typing on')
    const written = 'Two \n\n---\n\ntyping on'
    expect(await text.inputValue()).toBe(written)
    for (let press = 0; press < 3; press++) await page.keyboard.press('Control+z')
    expect(await text.inputValue()).toBe('')
    for (let press = 0; press < 3; press++) await page.keyboard.press('Control+y')
    expect(await text.inputValue()).toBe(written)
  })

  it.each(['a\n\n\n', 'a\n\n\n\n'])(
    'redoes a block before the last line breaks of %j',
    async (body) => {
      const { page, text, button, select } = await open(body)
      await select(3, 3)
      await button('More').click()
      await button('Horizontal rule').click()
      const written = await text.inputValue()
      expect(written).toBe('a\n\n---\n\n')
      await page.keyboard.press('Control+z')
      await expect.poll(() => text.inputValue()).toBe(body)
      await page.keyboard.press('Control+y')
      await expect.poll(() => text.inputValue()).toBe(written)
    },
  )

  it('redoes text after many inserted lines at its position', async () => {
    const opened = await open('')
    const { page, text } = opened
    const lines = 'line\n'.repeat(80)
    await text.focus()
    await text.evaluate((field, pasted) => {
      const data = new DataTransfer()
      data.setData('text/html', pasted.replaceAll('\n', '<br>'))
      data.setData('text/plain', pasted)
      field.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
      )
    }, lines)
    await expect.poll(() => text.inputValue()).toContain('line')
    const pasted = await text.inputValue()
    await page.keyboard.type('end')
    for (let press = 0; press < 4; press++) await page.keyboard.press('Control+z')
    expect(await text.inputValue()).toBe('')
    for (let press = 0; press < 4; press++) await page.keyboard.press('Control+y')
    expect(await text.inputValue()).toBe(`${pasted}end`)
  })

  it('ends bold with the same key that started it', async () => {
    const { page, text } = await open('')
    await text.focus()
    await page.keyboard.type('a ')
    await page.keyboard.press('Control+b')
    await page.keyboard.type('b')
    await page.keyboard.press('Control+b')
    await page.keyboard.type(' c')
    expect(await text.inputValue()).toBe('a **b** c')
  })

  it('removes empty bold on the second press', async () => {
    const { page, text } = await open('a ')
    await text.focus()
    await page.keyboard.press('Control+End')
    await page.keyboard.press('Control+b')
    await page.keyboard.press('Control+b')
    expect(await text.inputValue()).toBe('a ')
  })

  it.each([
    ['Bold', 6, 6],
    ['Bold', 4, 7],
    ['Bulleted list', 6, 6],
    ['Code block', 2, 9],
  ])('restores the selection when it undoes and redoes %s: %i to %i', async (name, start, end) => {
    const { page, text, select, selection, button } = await open('one two\nthree')
    await select(start, end)
    await button(name).click()
    const after = await text.inputValue()
    const selected = await selection()
    expect(after).not.toBe('one two\nthree')
    for (let round = 0; round < 2; round++) {
      await page.keyboard.press('Control+z')
      expect(await text.inputValue()).toBe('one two\nthree')
      expect(await selection()).toEqual([start, end])
      await page.keyboard.press('Control+y')
      expect(await text.inputValue()).toBe(after)
      expect(await selection()).toEqual(selected)
    }
  })

  it('does not format the address of a link', async () => {
    const { page, text, select, button } = await open('[a](/b_c_d) ![e](/f)')
    for (const [start, end] of [
      [7, 7],
      [6, 8],
      [18, 18],
    ] as const) {
      await select(start, end)
      await page.keyboard.press('Control+b')
      await page.keyboard.press('Control+i')
      await button('Code').click()
      expect(await text.inputValue()).toBe('[a](/b_c_d) ![e](/f)')
    }
  })

  it('undoes only the text, not another field', async () => {
    const opened = await open('', { before: TITLE })
    const { page, text, button } = opened
    const title = page.getByLabel('Title')
    await title.focus()
    await page.keyboard.type('A title')
    await text.focus()
    await page.keyboard.type('abc')
    await button('More').click()
    for (let press = 0; press < 3; press++) await button('Undo').click()
    expect(await text.inputValue()).toBe('')
    expect(await title.inputValue()).toBe('A title')
    expect(await text.evaluate((element) => element === document.activeElement)).toBe(true)
  })

  it('moves the focus into the preview from any toolbar button, and back', async () => {
    const opened = await open('Text')
    const { page, button } = opened
    await button('Bold').focus()
    await page.keyboard.press('Control+Alt+p')
    expect(await spoken(opened)).toBe('Split')
    await page.keyboard.press('Control+Alt+p')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('tabpanel')
    await page.keyboard.press('Control+Alt+p')
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('TEXTAREA')
  })

  it('opens the help with F1 on a button, and counts the results', async () => {
    const { page, button } = await open('')
    await button('Bold').focus()
    await page.keyboard.press('F1')
    await page.getByLabel('Search').fill('strike')
    await page.getByRole('dialog').getByText('2 entries').waitFor()
    await page.getByLabel('Search').fill('nothing like this')
    await page.getByRole('dialog').getByText('0 entries').waitFor()
  })

  it('announces the number of results only when it has changed and the user pauses', async () => {
    const { page, button } = await open('')
    await button('Help').click()
    const found = page.getByRole('dialog').getByRole('status')
    const spokenTexts = await found.evaluateHandle((element) => {
      const texts: (string | null)[] = []
      const observer = new MutationObserver(() => texts.push(element.textContent))
      observer.observe(element, { childList: true, characterData: true, subtree: true })
      return texts
    })
    await page.getByLabel('Search').pressSequentially('nothing like')
    await found.getByText('0 entries').waitFor()
    await page.keyboard.type(' this')
    await page.waitForTimeout(700)
    await page.getByLabel('Search').fill('strike')
    await found.getByText('2 entries').waitFor()
    expect(await spokenTexts.jsonValue()).toEqual(['0 entries', '2 entries'])
  })

  it('explains how to leave a list in which Tab indents', async () => {
    const opened = await open('- a\n- b')
    const { page, text, select } = opened
    await select(7, 7)
    await page.keyboard.press('Tab')
    expect(await text.inputValue()).toBe('- a\n  - b')
    expect(await spoken(opened)).toBe('Indented. Leave the text with the keyboard: Esc, then Tab')
  })

  it('announces the format that a key, a button or the menu turns on or off', async () => {
    const opened = await open('a word')
    const { page, select } = opened
    await select(2, 6)
    await page.keyboard.press('Control+b')
    expect(await spoken(opened)).toBe('Bold on')
    await page.keyboard.press('Control+b')
    expect(await spoken(opened)).toBe('Bold off')
    await page.keyboard.press('Control+Alt+2')
    expect(await spoken(opened)).toBe('Heading 2 on')
    await opened.button('Italic').click()
    expect(await spoken(opened)).toBe('Italic on')
    await opened.button('Heading').click()
    await page.getByRole('menuitemradio', { name: 'Heading 3' }).click()
    expect(await spoken(opened)).toBe('Heading 3 on')
  })

  it('announces undo and redo, by a key and by a button', async () => {
    const opened = await open('')
    await opened.text.focus()
    await opened.page.keyboard.type('word')
    await opened.page.keyboard.press('Control+z')
    expect(await spoken(opened)).toBe('Undone')
    await opened.button('More').click()
    await opened.button('Redo').click()
    expect(await spoken(opened)).toBe('Redone')
  })

  it('does not announce a key without an effect', async () => {
    const address = await open('[a](/b)')
    await address.select(5, 5)
    await address.page.keyboard.press('Control+b')
    expect(await spoken(address)).not.toContain('Bold')
    const readOnly = await open('a word')
    await readOnly.text.evaluate((element: HTMLTextAreaElement) => {
      element.readOnly = true
    })
    await readOnly.select(2, 6)
    await readOnly.page.keyboard.press('Control+b')
    expect(await spoken(readOnly)).not.toContain('Bold')
  })

  it('shows the name of a button that has the keyboard focus, inside the editor', async () => {
    const { page, button } = await open('')
    const nameOf = (name: string): Promise<string> =>
      button(name)
        .locator('span')
        .evaluate((element) => getComputedStyle(element, '::before').content)
    await button('Bold').focus()
    await page.keyboard.press('ArrowRight')
    expect(await nameOf('Italic')).toBe('"Italic (Ctrl+I)"')
    expect(await nameOf('Bold')).toBe('none')
    await button('Code block').focus()
    await page.keyboard.press('ArrowRight')
    expect(await nameOf('More')).toBe('"More"')
  })

  it('names the buttons that "…" shows', async () => {
    const { page, button } = await open('')
    const nameOf = (name: string): Promise<string> =>
      page
        .locator(`[aria-label="${name}"]`)
        .evaluate((element) => getComputedStyle(element, '::after').content)
    await button('More').click()
    expect(await nameOf('Embed')).toBe('"Embed"')
    expect(await nameOf('Bold')).toBe('none')
    await button('More').click()
    expect(await nameOf('Embed')).toBe('none')
  })

  it('shows the end of the preview while the user writes the last paragraph', async () => {
    const opened = await open(`${'A paragraph.\n\n'.repeat(60)}The last one.`)
    const { page, text } = opened
    await page.getByRole('tab', { name: 'Split' }).click()
    const pane = page.getByRole('tabpanel')
    await pane.getByText('The last one.').waitFor()
    await text.focus()
    await page.keyboard.press('Control+End')
    for (const word of ['first', 'second']) {
      await page.keyboard.type(`\n\n${word}`)
      await pane.getByText(word).waitFor()
      const rest = (): Promise<number> =>
        pane.evaluate((e) => e.scrollHeight - e.clientHeight - e.scrollTop)
      await expect.poll(rest).toBeLessThan(2)
    }
  })

  it('marks the heading button as opening a menu', async () => {
    const { page, button } = await open('a')
    expect(await button('Heading').getAttribute('aria-haspopup')).toBe('menu')
    await button('Heading').click()
    await page.getByRole('menu').waitFor()
    await expect.poll(() => button('Heading').getAttribute('aria-expanded')).toBe('true')
    await page.keyboard.press('Escape')
    await expect.poll(() => button('Heading').getAttribute('aria-expanded')).toBe('false')
  })

  it('scrolls to a new table and a new list item at the end of a long text', async () => {
    const { page, text, selection, button } = await open('line\n'.repeat(60))
    const isCaretShown = (): Promise<boolean> =>
      text.evaluate((field: HTMLTextAreaElement) => {
        const lines = field.value.slice(0, field.selectionEnd).split('\n').length
        const height = Number.parseFloat(getComputedStyle(field).lineHeight)
        const bottom = lines * height - field.scrollTop
        return bottom > height && bottom <= field.clientHeight + height
      })
    await text.focus()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('- item')
    for (let press = 0; press < 5; press++) {
      await page.keyboard.press('Enter')
      await expect.poll(isCaretShown).toBe(true)
      await page.keyboard.type('x')
    }
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await button('More').click()
    await button('Table').click()
    await page.getByRole('gridcell', { name: '3 columns, 3 rows', exact: true }).click()
    await expect.poll(isCaretShown).toBe(true)
    const [caret] = await selection()
    expect(caret).toBeGreaterThan(300)
  })
})
