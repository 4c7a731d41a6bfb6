import { describe, expect, it } from 'vitest'
import { TEXT_COMMANDS, type TextCommandName } from '../../src/commands/commands.ts'
import { applyEdit } from '../../src/commands/edit.ts'
import type { OpenPage } from '../support/open-page.ts'
import { useTestSite } from '../support/test-site.ts'
import { loadWriting, runCommand } from '../support/writing.ts'

const PHONE = { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true }
const UNNAMED = { key: 'Unidentified', windowsVirtualKeyCode: 229 }

describe('typing in <markdown-editor>', () => {
  const site = useTestSite()

  const open = async (body: string): Promise<OpenPage> => {
    const opened = await site.open({ fields: { body } })
    await loadWriting(opened.page)
    await opened.select(body.length, body.length)
    return opened
  }

  it('continues and ends lists and quotes with Enter, as separate undo steps', async () => {
    const { page, text } = await open('')
    // Waits for the text, because a busy browser may finish a key press before the change.
    const shows = (wanted: string) => expect.poll(() => text.inputValue()).toBe(wanted)
    await page.keyboard.type('1. one')
    await page.keyboard.press('Enter')
    await page.keyboard.type('two')
    await page.keyboard.press('Enter')
    await shows('1. one\n2. two\n3. ')
    await page.keyboard.press('Enter')
    await page.keyboard.type('> quote')
    await page.keyboard.press('Enter')
    await page.keyboard.type('more')
    await shows('1. one\n2. two\n\n> quote\n> more')
    await page.keyboard.press('Control+z')
    await shows('1. one\n2. two\n\n> quote\n> ')
    await page.keyboard.press('Control+z')
    await shows('1. one\n2. two\n\n> quote')
  })

  it('leaves the line break to the browser elsewhere, and with Shift', async () => {
    const { page, text } = await open('- one')
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.type('two')
    await page.keyboard.press('Enter')
    expect(await text.inputValue()).toBe('- one\ntwo\n')
  })

  it('scrolls to the new line', async () => {
    const body = Array.from({ length: 60 }, (_, index) => `${index + 1}. item`).join('\n')
    const { page, text, select } = await open(body)
    const line = body.indexOf('\n30.')
    await select(line, line)
    await page.keyboard.press('End')
    await text.evaluate((element) => element.scrollTo(0, element.scrollHeight))
    await page.keyboard.press('Enter')
    await page.keyboard.type('x')
    const inView = await text.evaluate((element: HTMLTextAreaElement) => {
      const height = element.scrollHeight / element.value.split('\n').length
      const top = element.value.slice(0, element.selectionStart).split('\n').length * height
      return top > element.scrollTop && top - height < element.scrollTop + element.clientHeight
    })
    expect(inView).toBe(true)

    await select(body.length + 8, body.length + 8)
    await page.keyboard.press('Control+End')
    for (let times = 0; times < 8; times++) await page.keyboard.type('y\n')
    expect(await text.evaluate((e) => e.scrollHeight - e.clientHeight - e.scrollTop)).toBeLessThan(
      40,
    )
  })

  it('moves list items with Tab and Shift+Tab, each as one undo step', async () => {
    const { page, text } = await open('1. a\n2. b')
    await page.keyboard.press('Tab')
    expect(await text.inputValue()).toBe('1. a\n   1. b')
    await page.keyboard.press('Control+z')
    expect(await text.inputValue()).toBe('1. a\n2. b')
    await page.keyboard.press('Control+y')
    await page.keyboard.press('Shift+Tab')
    expect(await text.inputValue()).toBe('1. a\n2. b')
  })

  it('does not trap the keyboard: Tab leaves outside of lists and after Escape, Shift+Tab also at the first level', async () => {
    const { page, text, select } = await open('text\n\n- a\n- b')
    const isInText = (): Promise<boolean> =>
      text.evaluate((element) => element === document.activeElement)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Tab')
    expect(await isInText()).toBe(false)
    await select(13, 13)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Shift+Tab')
    expect(await isInText()).toBe(false)
    await select(13, 13)
    await page.keyboard.press('Shift+Tab')
    expect(await isInText()).toBe(false)
    await select(2, 2)
    await page.keyboard.press('Tab')
    expect(await isInText()).toBe(false)
    expect(await text.inputValue()).toBe('text\n\n- a\n- b')
    // Any other key cancels the effect of Escape.
    await select(13, 13)
    await page.keyboard.press('Escape')
    await page.keyboard.type('c')
    await page.keyboard.press('Tab')
    expect(await text.inputValue()).toBe('text\n\n- a\n  - bc')
  })

  it('announces the code block that keeps a command from adding marks', async () => {
    const { page, text, select } = await open('```\na word\n```')
    await select(6, 10)
    await page.keyboard.press('Control+b')
    await page.getByRole('status').getByText('Code block on').waitFor()
    expect(await text.inputValue()).toBe('```\na word\n```')
  })

  it('announces new items, indented items, and ended lists and quotes', async () => {
    const { page, text, select } = await open('- a')
    const spoken = (): Promise<string | null> => page.locator('.md-editor-live').textContent()
    const hint = 'Leave the text with the keyboard: Esc, then Tab'
    for (const [key, message, written] of [
      ['Enter', 'New item', '- a\n- '],
      ['Tab', `Indented. ${hint}`, '- a\n  - '],
      ['Shift+Tab', 'Outdented', '- a\n- '],
      ['Tab', 'Indented', '- a\n  - '],
      ['Enter', 'Outdented', '- a\n- '],
      ['Enter', 'List ended', '- a\n\n'],
      ['>', 'List ended', '- a\n\n>'],
      [' ', 'List ended', '- a\n\n> '],
      ['Backspace', 'Quote off', '- a\n\n'],
    ] as const) {
      await page.keyboard.press(key)
      await expect.poll(() => text.inputValue()).toBe(written)
      expect(await spoken()).toBe(message)
    }
    const code = '> ```\n>   - code'
    await text.fill(code)
    await select(code.length, code.length)
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    expect(await text.inputValue()).toBe(`${code}\n>   \n>   `)
    expect(await spoken()).toBe('Quote off')
  })

  it('announces a block that a button inserts', async () => {
    const { page } = await open('text')
    await runCommand(page, 'horizontal-rule')
    await page.getByRole('status').getByText('Inserted', { exact: true }).waitFor()
  })

  it('moves between the cells of a table, adds a row, and ends the table', async () => {
    const { page, text, select } = await open('| one | two |\n| --- | --- |')
    await select(2, 2)
    const type = async (key: string, typed: string): Promise<string> => {
      await page.keyboard.press(key)
      await page.keyboard.type(typed)
      return text.inputValue()
    }
    await type('Tab', 'b')
    const spoken = () => page.getByRole('status').first().textContent()
    expect(await spoken()).toBe('Row 1, column 2. Leave the text with the keyboard: Esc, then Tab')
    expect(await type('Shift+Tab', 'a')).toBe('| a | b   |\n| --- | --- |')
    await type('Enter', 'c')
    expect(await spoken()).toBe('Inserted. Row 2, column 1, empty')
    expect(await type('Tab', 'd')).toBe('| a   | b   |\n| --- | --- |\n| c   | d    |')
    await type('Tab', '')
    expect(await type('Enter', 'end')).toBe('| a   | b   |\n| --- | --- |\n| c   | d   |\n\nend')
    expect(await spoken()).toBe('Below the table')
    await select(2, 2)
    await page.keyboard.press('Enter')
    expect(await spoken()).toBe('Row 2, column 1')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Tab')
    expect(await text.evaluate((element) => element === document.activeElement)).toBe(false)
  })

  // On-screen keyboards send Enter as a key, or as an input after a key without a name.
  it.each([
    ['a key', { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13, text: '\r' }, ''],
    ['a line break', { ...UNNAMED, commands: ['insertNewline'] }, ''],
    ['a text', UNNAMED, '\n'],
  ])(
    'goes through the cells of a table with Enter on a phone, sent as %s',
    async (_, key, typed) => {
      const body = '| one | two |\n| --- | --- |\n'
      const { page, text, select } = await site.open({ fields: { body } }, PHONE)
      await loadWriting(page)
      await select(2, 5)
      const session = await page.context().newCDPSession(page)
      const enter = async (): Promise<void> => {
        await session.send('Input.dispatchKeyEvent', { type: 'keyDown', ...key })
        if (typed !== '') await session.send('Input.insertText', { text: typed })
      }
      for (const cell of ['a', 'b', 'c', 'd']) {
        await page.keyboard.type(cell)
        await enter()
      }
      const table = '| a   | b   |\n| --- | --- |\n| c   | d   |\n'
      await expect.poll(() => text.inputValue()).toBe(`${table}|     |     |\n`)
      expect(await page.getByRole('status').first().textContent()).toMatch(/^Inserted. Row 3/)
      await enter()
      await page.keyboard.type('- item')
      await enter()
      await expect.poll(() => text.inputValue()).toBe(`${table}\n- item\n- \n`)
      await page.keyboard.press('Control+z')
      await expect.poll(() => text.inputValue()).toBe(`${table}\n- item\n`)
    },
  )

  it('removes a marker if an on-screen keyboard does not name Backspace', async () => {
    const { page, text, select } = await site.open({ fields: { body: '- a\n- ' } }, PHONE)
    await loadWriting(page)
    await select(6, 6)
    const session = await page.context().newCDPSession(page)
    const key = { ...UNNAMED, commands: ['deleteBackward'] }
    await session.send('Input.dispatchKeyEvent', { type: 'keyDown', ...key })
    await expect.poll(() => text.inputValue()).toBe('- a\n')
  })

  it('does not split a row if the aligned table would be too long', async () => {
    const body = '|a|b|\n|-|-|\n|c|d|'
    const { page, text, select } = await open(body)
    await text.evaluate(
      (element, length) => element.setAttribute('maxlength', length),
      `${body.length + 1}`,
    )
    for (const key of ['Enter', 'Tab']) {
      await select(2, 2)
      await page.keyboard.press(key)
      expect(await text.inputValue()).toBe(body)
      const notice = page.locator('.md-editor-notice')
      expect(await notice.textContent()).toContain('The text would be too long for this field.')
      await notice.getByRole('button', { name: 'Dismiss' }).click()
    }
  })

  it('removes an empty mark with Backspace, in one undo step', async () => {
    const { page, text } = await open('- [ ] a')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Backspace')
    expect(await text.inputValue()).toBe('- [ ] a\n')
    await page.keyboard.press('Control+z')
    expect(await text.inputValue()).toBe('- [ ] a\n- [ ] ')
    await page.keyboard.press('Backspace')
    await page.keyboard.press('Backspace')
    expect(await text.inputValue()).toBe('- [ ] a')
  })

  it('ends a composition with Enter, without continuing the list', async () => {
    const { page, text } = await open('- ')
    const session = await page.context().newCDPSession(page)
    await session.send('Input.imeSetComposition', {
      text: 'にほん',
      selectionStart: 3,
      selectionEnd: 3,
    })
    const key = { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 229 }
    await session.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...key })
    await session.send('Input.insertText', { text: '日本' })
    await session.send('Input.dispatchKeyEvent', { type: 'keyUp', ...key })
    expect(await text.inputValue()).toBe('- 日本')
    await page.keyboard.press('Enter')
    expect(await text.inputValue()).toBe('- 日本\n- ')
  })

  it('does not change a read-only text', async () => {
    const { page, text } = await open('- a')
    await text.evaluate((element: HTMLTextAreaElement) => {
      element.readOnly = true
    })
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await text.inputValue()).toBe('- a')
    expect(await text.evaluate((element) => element === document.activeElement)).toBe(false)
  })

  it.each([
    ['on a US keyboard (F38)', '&', 'Digit7', '1. word'],
    ['on a German keyboard (F38)', '/', 'Digit7', '1. word'],
    ['on a French keyboard (F38)', '7', 'Digit7', '1. word'],
    ['for the asterisk key (F38)', '*', 'Digit8', '- word'],
    ['for the parenthesis key (F38)', '(', 'Digit9', '- [ ] word'],
    ['for the quote key', '>', 'Period', '> word'],
    ['for a letter', 'X', 'KeyX', '~~word~~'],
  ])('recognizes Ctrl and Shift: %s', async (_, key, code, expected) => {
    const { text, select } = await open('word')
    await select(0, 4)
    await text.evaluate(
      (element, init) =>
        void element.dispatchEvent(
          new KeyboardEvent('keydown', {
            ...init,
            ctrlKey: true,
            shiftKey: true,
            bubbles: true,
            cancelable: true,
          }),
        ),
      { key, code },
    )
    expect(await text.inputValue()).toBe(expected)
  })

  it('creates headings with Ctrl+Alt and a digit, unless AltGr types a character', async () => {
    const { page, text } = await open('word')
    await page.keyboard.press('Control+Alt+2')
    expect(await text.inputValue()).toBe('## word')
    const pressed = await text.evaluate((element) => {
      const init = { code: 'Digit3', ctrlKey: true, altKey: true, bubbles: true, cancelable: true }
      const events = [
        new KeyboardEvent('keydown', { ...init, key: '³' }),
        new KeyboardEvent('keydown', { ...init, key: '3', modifierAltGraph: true }),
      ]
      return events.map((event) => element.dispatchEvent(event))
    })
    expect(pressed).toEqual([true, true])
    expect(await text.inputValue()).toBe('## word')
  })

  it('leaves redo to the browser, with Ctrl+Shift+Z and Ctrl+Y (F38)', async () => {
    const { page, text, select } = await open('ab')
    await select(0, 2)
    await page.keyboard.press('Control+b')
    for (const keys of ['Control+Shift+Z', 'Control+y']) {
      await page.keyboard.press('Control+z')
      expect(await text.inputValue()).toBe('ab')
      await page.keyboard.press(keys)
      expect(await text.inputValue()).toBe('**ab**')
    }
  })

  it('leaves full screen on Escape in the text', async () => {
    const { page, text, button } = await open('a')
    const isFull = (): Promise<boolean> =>
      page.locator('markdown-editor').evaluate((element) => element.hasAttribute('data-fullscreen'))
    await button('Full screen').click()
    await expect.poll(isFull).toBe(true)
    await text.focus()
    await page.keyboard.press('Escape')
    expect(await isFull()).toBe(false)
  })

  const states = [
    ['1. one\n   - two\n2. three\n\n| a | b |\n|---|---|\n| c | d |', 3, 17],
    ['> a **bold** word 日本 👩‍💻 x\n\n```js\ncode\n```\n\nend', 8, 26],
    ['', 0, 0],
  ] as const
  const names = Object.keys(TEXT_COMMANDS) as TextCommandName[]

  it.each(states)('makes each command one undo step: %j', async (body, start, end) => {
    const { page, text, select } = await open(body)
    const found: Record<string, string> = {}
    const wanted: Record<string, string> = {}
    for (const name of names) {
      const edit = TEXT_COMMANDS[name].run({ text: body, selectionStart: start, selectionEnd: end })
      await select(start, end)
      await runCommand(page, name)
      found[name] = await text.inputValue()
      wanted[name] =
        edit === null
          ? body
          : applyEdit({ text: body, selectionStart: start, selectionEnd: end }, edit).text
      if (found[name] !== body) await page.keyboard.press('Control+z')
      found[`undo of ${name}`] = await text.inputValue()
      wanted[`undo of ${name}`] = body
    }
    expect(found).toEqual(wanted)
  })
})
