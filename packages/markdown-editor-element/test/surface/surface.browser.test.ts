import { describe, expect, it } from 'vitest'
import { type CodeMirrorPage, useCodeMirror } from '../support/code-mirror.ts'
import type { PageParts } from '../support/open-page.ts'
import { useTestSite } from '../support/test-site.ts'

describe('writing in CodeMirror', () => {
  const site = useTestSite()

  const open = async (body: string, parts: PageParts = {}): Promise<CodeMirrorPage> =>
    useCodeMirror(await site.open({ fields: { body }, ...parts }))

  it('types, breaks lines without indenting, deletes, undoes and redoes', async () => {
    const { page, content, value } = await open('  one')
    await content.click()
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await page.keyboard.insertText('two!')
    await page.keyboard.press('Backspace')
    expect(await value()).toBe('  one\ntwo')
    await page.keyboard.press('Control+z')
    expect(await value()).toBe('  one')
    await page.keyboard.press('Control+Shift+z')
    expect(await value()).toBe('  one\ntwo')
    await page.keyboard.press('Control+z')
    await page.keyboard.press('Control+y')
    expect(await value()).toBe('  one\ntwo')
  })

  it.each([true, false])(
    'accepts undo and redo keys with Caps Lock; long text: %s',
    async (long) => {
      const { page, text, content } = long
        ? await open('')
        : await site.open({ fields: { body: '' } }).then((o) => ({ ...o, content: o.text }))
      const value = (): Promise<string> => text.inputValue()
      await content.click()
      await page.keyboard.insertText('one')
      const session = await page.context().newCDPSession(page)
      const press = async (key: string, code: string, shift = false): Promise<void> => {
        const windowsVirtualKeyCode = code.charCodeAt(3)
        const event = { key, code, windowsVirtualKeyCode, modifiers: shift ? 10 : 2 }
        await session.send('Input.dispatchKeyEvent', { ...event, type: 'rawKeyDown' })
        await session.send('Input.dispatchKeyEvent', { ...event, type: 'keyUp' })
      }
      for (const [undo, redo, redoCode, shift] of [
        ['z', 'Z', 'KeyZ', true],
        ['Z', 'z', 'KeyZ', true],
        ['я', 'Я', 'KeyZ', true],
        ['z', 'y', 'KeyY', false],
        ['Z', 'Y', 'KeyY', false],
      ] as const) {
        await press(undo, 'KeyZ')
        await expect.poll(value).toBe('')
        await press(redo, redoCode, shift)
        await expect.poll(value).toBe('one')
      }
    },
  )

  it.each([
    ['Bold', 'one **two** three'],
    ['Heading', '# one two three'],
    ['Bulleted list', '- one two three'],
    ['Code block', '```\none two three\n```'],
  ])('makes the button %s one undo step, separate from typing', async (name, expected) => {
    const { page, value, select, press, content } = await open('one two ')
    await select(8, 8)
    await page.keyboard.insertText('three')
    await select(4, 7)
    await press(name)
    if (name === 'Heading') await page.getByRole('menuitemradio', { name: 'Heading 1' }).click()
    expect(await value()).toBe(expected)
    expect(await content.evaluate((element) => element === document.activeElement)).toBe(true)
    await page.keyboard.press('Control+z')
    expect(await value()).toBe('one two three')
    await page.keyboard.press('Control+z')
    expect(await value()).toBe('one two ')
    await press('Redo')
    await press('Redo')
    expect(await value()).toBe(expected)
    await press('Undo')
    expect(await value()).toBe('one two three')
  })

  it('has the shortcuts of the textarea', async () => {
    const { page, value, select } = await open('one two')
    await select(4, 7)
    await page.keyboard.press('Control+b')
    expect(await value()).toBe('one **two**')
    await page.keyboard.press('Control+b')
    expect(await value()).toBe('one two')
  })

  it('shows which buttons are pressed', async () => {
    const { button, select } = await open('one **two**')
    await select(7, 7)
    await expect.poll(() => button('Bold').getAttribute('aria-pressed')).toBe('true')
    await select(1, 1)
    await expect.poll(() => button('Bold').getAttribute('aria-pressed')).toBe('false')
  })

  it('leaves on Tab and Shift+Tab', async () => {
    const { page, content } = await open('one')
    await content.click()
    await page.keyboard.press('Tab')
    expect(await content.evaluate((element) => element.contains(document.activeElement))).toBe(
      false,
    )
    await page.keyboard.press('Shift+Tab')
    expect(await content.evaluate((element) => element === document.activeElement)).toBe(true)
    await page.keyboard.press('Shift+Tab')
    const active = await page.evaluate(() => document.activeElement?.tagName)
    expect(active).not.toBe('TEXTAREA')
  })

  it('accepts compositions', async () => {
    const { page, content, value } = await open('one ')
    await content.click()
    await page.keyboard.press('End')
    const devTools = await page.context().newCDPSession(page)
    for (const text of ['に', 'にほ', 'にほん']) {
      await devTools.send('Input.imeSetComposition', {
        text,
        selectionStart: text.length,
        selectionEnd: text.length,
      })
    }
    await devTools.send('Input.insertText', { text: '日本' })
    expect(await value()).toBe('one 日本')
    await page.keyboard.press('Control+z')
    expect(await value()).toBe('one ')
  })

  it('pastes text with normalized line feeds', async () => {
    const { content, value, events } = await open('')
    await content.click()
    await content.evaluate((element) => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', 'one\r\ntwo\rthree')
      element.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
      )
    })
    expect(await value()).toBe('one\ntwo\nthree')
    expect(await events()).toEqual(['input'])
  })

  it('looks like the textarea', async () => {
    const opened = await site.open({ fields: { body: 'one two three four five six\n\nseven' } })
    await opened.page.locator('textarea').evaluate((element) => {
      element.style.cssText = 'letter-spacing: 3px; padding: 20px 30px'
    })
    const editor = opened.page.locator('markdown-editor')
    const before = await editor.boundingBox()
    const { page } = await useCodeMirror(opened)
    expect(await editor.boundingBox()).toEqual(before)
    const styles = await page.evaluate(() => {
      const names = [
        'fontFamily',
        'fontSize',
        'lineHeight',
        'letterSpacing',
        'color',
        'tabSize',
        'direction',
      ] as const
      const of = (selector: string): string[] => {
        const style = getComputedStyle(document.querySelector(selector) as Element)
        return names.map((name) => style[name])
      }
      const line = document.querySelector('.cm-line')?.getBoundingClientRect()
      const surface = document.querySelector('.md-editor-surface')?.getBoundingClientRect()
      const inset = [
        (line?.left ?? 0) - (surface?.left ?? 0),
        (line?.top ?? 0) - (surface?.top ?? 0),
      ]
      return { textarea: of('textarea'), line: of('.cm-line'), inset }
    })
    expect(styles.line).toEqual(styles.textarea)
    expect(styles.inset).toEqual([30, 20])
  })

  it('gives each line the direction of its letters if the textarea has dir=auto', async () => {
    const opened = await site.open({ fields: { body: 'one\nאחת\n123' } })
    await opened.page.locator('textarea').evaluate((element) => element.setAttribute('dir', 'auto'))
    const { page } = await useCodeMirror(opened)
    const directions = await page
      .locator('.cm-line')
      .evaluateAll((lines) => lines.map((line) => getComputedStyle(line).direction))
    expect(directions).toEqual(['ltr', 'rtl', 'ltr'])
  })

  it('stops at maxlength for typing, pasting, buttons and compositions', async () => {
    const { page, content, value, select, button, text } = await open('12345678')
    await text.evaluate((element) => element.setAttribute('maxlength', '10'))
    await content.click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('9abc')
    expect(await value()).toBe('123456789a')
    await page.keyboard.press('Backspace')
    await page.keyboard.press('Backspace')
    await page.keyboard.insertText('x😀y')
    expect(await value()).toBe('12345678')
    await page.keyboard.insertText('xy')
    await select(1, 2)
    await button('Bold').click()
    expect(await value()).toBe('12345678xy')
    await select(10, 10)
    const devTools = await page.context().newCDPSession(page)
    await devTools.send('Input.imeSetComposition', {
      text: 'にほん',
      selectionStart: 3,
      selectionEnd: 3,
    })
    await devTools.send('Input.insertText', { text: '日本' })
    await expect.poll(value).toBe('12345678xy')
    await page.keyboard.press('Control+End')
    await page.keyboard.press('Backspace')
    await page.keyboard.type('ok')
    expect(await value()).toBe('12345678xo')
  })
})
