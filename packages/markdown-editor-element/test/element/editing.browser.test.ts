import { describe, expect, it } from 'vitest'
import type { OpenPage, PageParts } from '../support/open-page.ts'
import { useTestSite } from '../support/test-site.ts'
import { loadWriting } from '../support/writing.ts'

describe('writing in <markdown-editor>', () => {
  const site = useTestSite()

  const open = async (body: string, parts: PageParts = {}): Promise<OpenPage> => {
    const opened = await site.open({ fields: { body }, ...parts })
    await loadWriting(opened.page)
    return opened
  }

  it.each([
    ['Bold', 'one **two** three'],
    ['Italic', 'one _two_ three'],
    ['Strikethrough', 'one ~~two~~ three'],
    ['Highlight', 'one ==two== three'],
    ['Heading', '# one two three'],
    ['Quote', '> one two three'],
    ['Horizontal rule', 'one two three\n\n---\n\n'],
    ['Code', 'one `two` three'],
    ['Code block', '```\none two three\n```'],
    ['Bulleted list', '- one two three'],
    ['Numbered list', '1. one two three'],
    ['Task list', '- [ ] one two three'],
    [
      'Collapsible section',
      '<details>\n<summary>Click to expand</summary>\n\none two three\n\n</details>',
    ],
    ['Superscript', 'one ^two^ three'],
    ['Subscript', 'one ~two~ three'],
  ])(
    'makes the button %s one undo step, separate from typing before and after',
    async (name, expected) => {
      const { page, text, press, select } = await open('one two ')
      // Waits for the text, because a busy browser may finish a key press before the change.
      const shows = (wanted: string) => expect.poll(() => text.inputValue()).toBe(wanted)
      await select(8, 8)
      await page.keyboard.type('three')
      await shows('one two three')
      await select(4, 7)
      await press(name)
      if (name === 'Heading') await page.getByRole('menuitemradio', { name: 'Heading 1' }).click()
      await shows(expected)
      expect(await text.evaluate((element) => element === document.activeElement)).toBe(true)

      await page.keyboard.press('Control+z')
      await shows('one two three')
      await page.keyboard.press('Control+z')
      await shows('one two ')
      await page.keyboard.press('Control+y')
      await shows('one two three')
      await page.keyboard.press('Control+y')
      await shows(expected)
    },
  )

  it('keeps typing one undo step while words are counted', async () => {
    const { page, text, select } = await open('one two ')
    await select(8, 8)
    await page.keyboard.type('thr')
    await page.locator('.md-editor-status').getByText('3 words').waitFor()
    await page.keyboard.type('ee')
    await page.keyboard.press('Control+z')
    await expect.poll(() => text.inputValue()).toBe('one two ')
  })

  it('separates typing after a button from the button', async () => {
    const { page, text, button, select } = await open('one two')
    await select(4, 7)
    await button('Bold').click()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.type('x')
    await page.keyboard.press('Control+z')
    expect(await text.inputValue()).toBe('one **two**')
  })

  it('restores text and selection on a second press of a button', async () => {
    const { text, button, select, selection } = await open('one two three')
    await select(4, 7)
    await button('Bold').click()
    await button('Bold').click()
    expect(await text.inputValue()).toBe('one two three')
    expect(await selection()).toEqual([4, 7])
  })

  it('undoes and redoes with its buttons', async () => {
    const { text, press, select } = await open('one two')
    await select(4, 7)
    await press('Bold')
    await press('Undo')
    expect(await text.inputValue()).toBe('one two')
    await press('Redo')
    expect(await text.inputValue()).toBe('one **two**')
  })

  it('changes many lines in one undo step with one input event', async () => {
    const lines = Array.from({ length: 300 }, (_, index) => `line ${index} <b> & "x"\t`)
    const { page, text, button, select } = await open(lines.join('\n'))
    await text.evaluate((element) => {
      element.addEventListener('input', () =>
        element.setAttribute('data-inputs', `${element.getAttribute('data-inputs') ?? ''}x`),
      )
    })
    await select(0, lines.join('\n').length)
    await button('Bulleted list').click()
    expect(await text.inputValue()).toBe(lines.map((line) => `- ${line}`).join('\n'))
    expect(await text.getAttribute('data-inputs')).toBe('x')
    await page.keyboard.press('Control+z')
    expect(await text.inputValue()).toBe(lines.join('\n'))
  })

  it.each([
    ['Control+b', 'one **two** three'],
    ['Control+i', 'one _two_ three'],
    ['Control+e', 'one `two` three'],
  ])('runs the command of the button on %s', async (keys, expected) => {
    const { page, text, select } = await open('one two three')
    await select(4, 7)
    await page.keyboard.press(keys)
    expect(await text.inputValue()).toBe(expected)
  })

  it('accepts shortcuts with Caps Lock and on keyboards without Latin letters (F38)', async () => {
    const { text, select } = await open('one two three')
    const press = (key: string, code: string): Promise<void> =>
      text.evaluate(
        (element, init) =>
          void element.dispatchEvent(
            new KeyboardEvent('keydown', {
              ...init,
              ctrlKey: true,
              bubbles: true,
              cancelable: true,
            }),
          ),
        { key, code },
      )
    await select(4, 7)
    await press('B', 'KeyB')
    expect(await text.inputValue()).toBe('one **two** three')
    await press('и', 'KeyB')
    expect(await text.inputValue()).toBe('one two three')
  })

  it('accepts composed text and marks it afterwards', async () => {
    const { page, text, button, select } = await open('a ')
    await select(2, 2)
    const session = await page.context().newCDPSession(page)
    await session.send('Input.imeSetComposition', {
      text: 'に',
      selectionStart: 1,
      selectionEnd: 1,
    })
    await session.send('Input.imeSetComposition', {
      text: 'にほん',
      selectionStart: 3,
      selectionEnd: 3,
    })
    await session.send('Input.insertText', { text: '日本' })
    await button('Bold').click()
    expect(await text.inputValue()).toBe('a **日本**')
  })

  it('shows the formats of the selection', async () => {
    const { button, select } = await open('one **two** three')
    expect(await button('Bold').getAttribute('aria-pressed')).toBe('false')
    await select(6, 9)
    await expect.poll(() => button('Bold').getAttribute('aria-pressed')).toBe('true')
    expect(await button('Italic').getAttribute('aria-pressed')).toBe('false')
    expect(await button('Table').getAttribute('aria-pressed')).toBe(null)
  })

  it('does not change a field that is read-only or full', async () => {
    const { text, button, select } = await open('one two', { widget: { attrs: { maxlength: 9 } } })
    await select(4, 7)
    await button('Bold').click()
    expect(await text.inputValue()).toBe('one two')
    await button('Italic').click()
    expect(await text.inputValue()).toBe('one _two_')
    await text.evaluate((element: HTMLTextAreaElement) => {
      element.readOnly = true
    })
    await expect.poll(() => button('Italic').getAttribute('aria-disabled')).toBe('true')
    await button('Italic').click({ force: true })
    expect(await text.inputValue()).toBe('one _two_')
  })

  it('makes the toolbar one tab stop with arrow keys inside (F42)', async () => {
    const { page, button } = await open('')
    const focused = (): Promise<string | null> =>
      page.evaluate(
        () =>
          document.activeElement?.getAttribute('aria-label') ??
          document.activeElement?.textContent ??
          null,
      )
    await page.getByRole('tab', { name: 'Write' }).focus()
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('Bold')
    await page.keyboard.press('ArrowRight')
    expect(await focused()).toBe('Italic')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    expect(await focused()).toBe('More')
    await page.keyboard.press('Home')
    expect(await focused()).toBe('Bold')
    await page.keyboard.press('End')
    expect(await focused()).toBe('More')
    await page.keyboard.press('Tab')
    expect(await page.locator('.md-editor-toolbar :focus').count()).toBe(0)
    await page.keyboard.press('Shift+Tab')
    expect(await focused()).toBe('More')
    expect(await button('Bold').getAttribute('aria-keyshortcuts')).toBe('Control+B')
    expect(await page.getByRole('toolbar', { name: 'Formatting' }).count()).toBe(1)
  })

  it('leaves the text on Tab', async () => {
    const { page, text } = await open('x')
    await text.focus()
    await page.keyboard.press('Tab')
    expect(await text.evaluate((element) => element === document.activeElement)).toBe(false)
    expect(await text.inputValue()).toBe('x')
  })

  it('shows the configured buttons in their order', async () => {
    const { page } = await open('', { widget: { toolbar: ['link', 'separator', 'bold'] } })
    expect(
      await page
        .locator('.md-editor-rows > *')
        .evaluateAll((all) =>
          all.map((each) => each.getAttribute('data-command') ?? each.className),
        ),
    ).toEqual(['link', 'md-editor-separator', 'bold'])
  })

  it('shows no buttons for an empty toolbar (F42)', async () => {
    const { page } = await open('', { widget: { toolbar: [] } })
    expect(await page.locator('[data-command]').count()).toBe(0)
  })
})
