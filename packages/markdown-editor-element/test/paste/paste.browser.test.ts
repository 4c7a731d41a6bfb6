import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { withCodeMirror } from '../support/code-mirror.ts'
import type { OpenPage } from '../support/open-page.ts'
import { useTestSite } from '../support/test-site.ts'
import { readSamples } from './support/samples.ts'

const TABLE = '<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>'
const ROWS = '| a | b |\n| --- | --- |\n| c | d |'

type Flavors = Readonly<Record<string, string>>

async function pasteReally(page: Page, flavors: Flavors, keys = 'Control+v'): Promise<void> {
  await writeClipboard(page, flavors)
  await page.locator('textarea').first().focus()
  await page.keyboard.press(keys)
}

function writeClipboard(page: Page, flavors: Flavors): Promise<void> {
  return page.evaluate(async (given) => {
    const blobs = Object.entries(given).map(([type, content]) => [
      type,
      new Blob([content], { type }),
    ])
    await navigator.clipboard.write([new ClipboardItem(Object.fromEntries(blobs))])
  }, flavors)
}

/** Returns true if the editor handles the event. */
function pasteExactly(
  { text }: OpenPage,
  flavors: Flavors,
  files: readonly string[] = [],
): Promise<boolean> {
  return text.evaluate(
    (element, [given, names]) => {
      const clipboardData = new DataTransfer()
      for (const [type, content] of Object.entries(given)) clipboardData.setData(type, content)
      for (const name of names)
        clipboardData.items.add(new File(['x'], name, { type: 'image/png' }))
      return !element.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
      )
    },
    [flavors, files] as const,
  )
}

// All pages of a browser share the clipboard, so these tests run one after the other.
describe('pasting into <markdown-editor>', () => {
  const site = useTestSite()
  const open = (body: string): Promise<OpenPage> =>
    site.open({ fields: { body } }, { permissions: ['clipboard-read', 'clipboard-write'] })

  it('converts a table to markdown in one undo step, with the caret after it', async () => {
    const opened = await open('one\n\ntwo')
    const { page, text, select } = opened
    await select(5, 5)
    await page.keyboard.type('x')
    await pasteReally(page, { 'text/html': TABLE, 'text/plain': 'a\tb\nc\td' })
    const pasted = `one\n\nx\n\n${ROWS}\n\ntwo`
    await expect.poll(() => text.inputValue()).toBe(pasted)
    expect(await opened.selection()).toEqual([8 + ROWS.length, 8 + ROWS.length])
    await page.keyboard.type('!')
    await page.keyboard.press('Control+z')
    expect(await text.inputValue()).toBe(pasted)
    await page.keyboard.press('Control+z')
    expect(await text.inputValue()).toBe('one\n\nxtwo')
    await page.keyboard.press('Control+z')
    expect(await text.inputValue()).toBe('one\n\ntwo')
  })

  it('creates a link for an address that is pasted on a selection', async () => {
    const opened = await open('see this now')
    const { page, text, select } = opened
    await select(4, 8)
    await pasteReally(page, { 'text/plain': 'https://a.example/x' })
    await expect.poll(() => text.inputValue()).toBe('see [this](https://a.example/x) now')
    expect(await opened.selection()).toEqual([31, 31])
    await page.keyboard.press('Control+z')
    expect(await text.inputValue()).toBe('see this now')
  })

  it('pastes plain text with Shift, and leaves plain text to the browser', async () => {
    const { page, text, select } = await open('')
    await pasteReally(page, { 'text/html': '<b>a</b>', 'text/plain': 'a' }, 'Control+Shift+v')
    await expect.poll(() => text.inputValue()).toBe('a')
    await pasteReally(page, { 'text/plain': '*b*' })
    await expect.poll(() => text.inputValue()).toBe('a*b*')
    await pasteReally(page, { 'text/html': '<b>c</b>', 'text/plain': 'c' })
    await expect.poll(() => text.inputValue()).toBe('a*b***c**')
    await select(0, 9)
    await pasteReally(page, { 'text/plain': 'https://a.example' }, 'Control+Shift+v')
    await expect.poll(() => text.inputValue()).toBe('https://a.example')
  })

  it('pastes plain text with Shift even if the browser offers HTML', async () => {
    const opened = await open('')
    const flavors = { 'text/html': '<b>a</b>', 'text/plain': 'a' }
    await opened.text.evaluate((element) => {
      const init = { key: 'V', code: 'KeyV', ctrlKey: true, shiftKey: true, bubbles: true }
      element.dispatchEvent(new KeyboardEvent('keydown', init))
    })
    expect(await pasteExactly(opened, flavors)).toBe(false)
    await opened.text.press('Shift+V')
    expect(await pasteExactly(opened, flavors)).toBe(true)
    await expect.poll(() => opened.text.inputValue()).toBe('V**a**')
  })

  it('restores Markdown that was copied from its own preview', async () => {
    const source =
      '## Head\n\n- a **b**\n- [x] `c`\n\n> [!NOTE]\n> Mind _it_.\n\n| a | b |\n| --- | --: |\n| 1 | 2 |'
    const { page, text, button } = await open(source)
    await page.getByRole('tab', { name: 'Preview' }).click()
    const preview = page.locator('.md-editor-preview')
    await preview.getByText('Mind').waitFor()
    await preview.evaluate((element) => getSelection()?.selectAllChildren(element))
    await page.keyboard.press('Control+c')
    await page.getByRole('tab', { name: 'Write' }).click()
    await text.evaluate((element: HTMLTextAreaElement) => element.select())
    await text.focus()
    await page.keyboard.press('Control+v')
    await expect.poll(() => text.inputValue()).toBe(source)
    expect(await button('Bold').count()).toBe(1)
  })

  it.each([
    ['before the first element', (comments: string) => `${comments}<p>a <b>b</b></p>`],
    [
      'after the last element',
      (comments: string) => `<html><p>a <b>b</b></p></body></html>${comments}`,
    ],
  ])('reads 45,000 comments %s as quickly as within an element', async (_, write) => {
    const { text } = await open('')
    const comments = '<![if !supportLists]>'.repeat(45_000)
    const paste = (element: HTMLTextAreaElement, html: string): Promise<number> => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/html', html)
      const start = performance.now()
      element.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
      )
      return new Promise<number>((resolve) => {
        element.addEventListener('input', () => resolve(performance.now() - start), { once: true })
      })
    }
    await text.evaluate(paste, '<p>a</p>') // Loads the script for pasting.
    await text.fill('')
    const within = await text.evaluate(paste, `<p>a <b>b</b>${comments}</p>`)
    await text.fill('')
    const outside = await text.evaluate(paste, write(comments))
    expect(await text.inputValue()).toBe('a **b**')
    // With a quadratic search, `outside` takes more than 80 times as long as `within`.
    expect(outside / within).toBeLessThan(20)
  })

  it('pastes plain text if its script cannot be loaded, and reports a full field', async () => {
    const { page, text } = await site.open(
      { fields: { body: '' }, widget: { attrs: { maxlength: 5 } } },
      { permissions: ['clipboard-read', 'clipboard-write'] },
    )
    await page.route('**/paste-*.js', (route) => route.abort())
    await pasteReally(page, { 'text/html': '<b>a</b>', 'text/plain': '*a*' })
    await expect.poll(() => text.inputValue()).toBe('*a*')
    await pasteReally(page, { 'text/html': '<b>a</b>', 'text/plain': '*abc*' })
    const notice = page.locator('.md-editor-notice')
    await notice.getByText('The text would be too long for this field.').waitFor()
    await notice.getByRole('button', { name: 'Dismiss' }).click()
    expect(await notice.isVisible()).toBe(false)
    expect(await text.evaluate((element) => element === document.activeElement)).toBe(true)
    expect(await text.inputValue()).toBe('*a*')
  })

  it('pastes plain text if the markdown is too long for the field', async () => {
    const { page, text } = await site.open(
      { fields: { body: '' }, widget: { attrs: { maxlength: 3 } } },
      { permissions: ['clipboard-read', 'clipboard-write'] },
    )
    await pasteReally(page, { 'text/html': '<b>abc</b>', 'text/plain': 'abc' })
    await expect.poll(() => text.inputValue()).toBe('abc')
  })

  it('leaves files to the uploads, unless text comes with them', async () => {
    const opened = await open('')
    expect(
      await pasteExactly(opened, { 'text/html': '<img src="https://a.example/i.png">' }, ['i.png']),
    ).toBe(true)
    await expect.poll(() => opened.text.inputValue()).toMatch(/^!\[i\]\(\/media\//)
    await opened.select(0, (await opened.text.inputValue()).length)
    expect(
      await pasteExactly(opened, { 'text/html': TABLE, 'text/plain': 'a\tb\nc\td' }, ['cells.png']),
    ).toBe(true)
    await expect.poll(() => opened.text.inputValue()).toBe(ROWS)
    expect(site.server.files).toHaveLength(1)
  })

  it('does not change a read-only field', async () => {
    const opened = await open('a')
    await opened.text.evaluate((element: HTMLTextAreaElement) => {
      element.readOnly = true
    })
    expect(await pasteExactly(opened, { 'text/html': '<b>b</b>', 'text/plain': 'b' })).toBe(false)
  })

  it('works in CodeMirror', async () => {
    const opened = await site.open(
      { fields: { body: 'one two' } },
      { permissions: ['clipboard-read', 'clipboard-write'] },
    )
    await opened.page
      .locator('markdown-editor')
      .evaluate((element) => element.setAttribute('surface', 'codemirror'))
    const { page, value, select } = await withCodeMirror(opened)
    const paste = async (flavors: Flavors): Promise<void> => {
      await writeClipboard(page, flavors)
      await page.keyboard.press('Control+v')
    }
    await select(4, 7)
    await paste({ 'text/plain': 'https://a.example' })
    await expect.poll(value).toBe('one [two](https://a.example)')
    await page.keyboard.press('Control+z')
    await expect.poll(value).toBe('one two')
    await select(3, 3)
    await paste({ 'text/html': TABLE, 'text/plain': 'a\tb' })
    await expect.poll(value).toBe(`one\n\n${ROWS}\n\n two`)
    await paste({ 'text/plain': '*x*' })
    await expect.poll(value).toBe(`one\n\n${ROWS}*x*\n\n two`)
  })

  it('converts each sample of other programs exactly', async () => {
    const samples = readSamples()
    const { text } = await open('')
    const pasted = await text.evaluate(async (element: HTMLTextAreaElement, given) => {
      const values: string[] = []
      for (const { html, plain } of given) {
        element.value = ''
        element.focus()
        const clipboardData = new DataTransfer()
        clipboardData.setData('text/html', html)
        clipboardData.setData('text/plain', plain)
        const changed = new Promise((resolve) =>
          element.addEventListener('input', resolve, { once: true }),
        )
        element.dispatchEvent(
          new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
        )
        await changed
        values.push(element.value)
      }
      return values
    }, samples)
    for (const [index, { name, markdown }] of samples.entries())
      expect(pasted[index], name).toBe(markdown)
  })
})
