import type { Browser, ElementHandle, Page } from 'puppeteer-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { launchFirefox, noFirefox } from '../../../../tests/support/firefox.ts'
import { formPage, type PageParts } from '../support/open-page.ts'
import { problem, startTestServer, type TestServer } from '../support/test-server.ts'

// These tests cover the features that differ between browsers: undo, insertText, the clipboard,
// Workers, Trusted Types, and the focus of elements that become hidden. Everything else is tested
// in Chromium.
describe('the editor in Firefox', () => {
  let server: TestServer
  let browser: Browser
  const pages: Page[] = []
  const faults: string[] = []

  beforeAll(async () => {
    if (noFirefox) return
    ;[server, browser] = await Promise.all([startTestServer(), launchFirefox()])
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
  })
  beforeEach((context) => {
    if (noFirefox) context.skip(noFirefox)
    server.reset()
  })
  afterEach(async () => {
    for (const page of pages.splice(0)) await page.close()
    expect(faults.splice(0)).toEqual([])
  })

  const open = async (
    text: string,
    parts: PageParts = {},
  ): Promise<{ page: Page; field: ElementHandle<Element> }> => {
    server.pages.set('/form', formPage(server, { fields: { body: text }, ...parts }))
    const page = await browser.newPage()
    pages.push(page)
    page.on('pageerror', (error) => faults.push(String(error)))
    page.on('console', (message) => {
      if (message.type() === 'error' && /Content-Security-Policy/.test(message.text()))
        faults.push(message.text())
    })
    await page.goto(`${server.url}/form`)
    await page.waitForSelector('.md-editor-toolbar')
    const field = await page.$('textarea')
    if (field === null) throw new Error('no field')
    return { page, field }
  }
  const textOf = (field: ElementHandle<Element>): Promise<string> =>
    field.evaluate((element) => (element as HTMLTextAreaElement).value)
  const select = (field: ElementHandle<Element>, start: number, end: number): Promise<void> =>
    field.evaluate(
      (element, from, to) => {
        const textarea = element as HTMLTextAreaElement
        textarea.focus()
        textarea.setSelectionRange(from, to)
      },
      start,
      end,
    )
  const press = async (page: Page, key: 'b' | 'k' | 'z' | 'y'): Promise<void> => {
    await page.keyboard.down('Control')
    await page.keyboard.press(key)
    await page.keyboard.up('Control')
  }

  it('opens the rows behind "…" with the keyboard, and hides them when Tab leaves them', async () => {
    const { page } = await open('')
    const focused = (): Promise<string | null | undefined> =>
      page.evaluate(() => document.activeElement?.ariaLabel)
    await page.focus('[aria-label=More]')
    await page.keyboard.press('Enter')
    expect(await focused()).toBe('Undo')
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('Help')
    const undo = await page.$eval('[aria-label=Undo]', (button) =>
      button.checkVisibility({ visibilityProperty: true }),
    )
    expect(undo).toBe(false)
    await page.keyboard.down('Shift')
    await page.keyboard.press('Tab')
    await page.keyboard.up('Shift')
    expect(await focused()).toBe('More')
  })

  it('marks a word with its shortcut, and undoes and redoes it as one step', async () => {
    const { page, field } = await open('one two three')
    await select(field, 4, 7)
    await page.keyboard.type('zwei')
    await select(field, 4, 8)
    await press(page, 'b')
    expect(await textOf(field)).toBe('one **zwei** three')
    await press(page, 'z')
    expect(await textOf(field)).toBe('one zwei three')
    await press(page, 'y')
    expect(await textOf(field)).toBe('one **zwei** three')
  })

  it('changes many lines in one undo step', async () => {
    const lines = Array.from({ length: 300 }, (_, index) => `line ${index}`)
    const { page, field } = await open(lines.join('\n'))
    await select(field, 0, lines.join('\n').length)
    await (await page.$('[data-command="unordered-list"]'))?.click()
    expect(await textOf(field)).toBe(lines.map((line) => `- ${line}`).join('\n'))
    await press(page, 'z')
    expect(await textOf(field)).toBe(lines.join('\n'))
  })

  it('uploads a file, finalizes it on submit and sends the pressed button', async () => {
    const { page, field } = await open('', {})
    await field.evaluate((element) => {
      const file = new File(['bytes'], 'fox.png', { type: 'image/png' })
      ;(
        element.closest('markdown-editor') as unknown as { addFiles(files: File[]): void }
      ).addFiles([file])
    })
    await expect.poll(() => textOf(field)).toContain('/media/md-editor/tmp/')
    await Promise.all([
      page.waitForNavigation(),
      (await page.$('button[value="publish"]'))?.click(),
    ])
    expect(server.saved[0]?.get('action')).toBe('publish')
    expect(server.saved[0]?.get('body')).toContain('/media/md-editor/uploads/2026/11/')
  })

  it('renders the preview', async () => {
    const { page } = await open('# Title\n\n==mark==')
    await (await page.$('[id$="-tab-preview"]'))?.click()
    await page.waitForSelector('.md-editor-preview mark')
  })

  it('leaves the text on Tab', async () => {
    const { page, field } = await open('text')
    await select(field, 0, 0)
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.tagName)).not.toBe('TEXTAREA')
  })

  it('asks for a link in a dialog, and restores the selection', async () => {
    const { page, field } = await open('see here now')
    await select(field, 4, 8)
    await press(page, 'k')
    await page.waitForSelector('dialog[open]')
    await page.keyboard.press('Escape')
    await page.waitForSelector('dialog', { hidden: true })
    await press(page, 'k')
    await page.waitForSelector('dialog[open]')
    await page.keyboard.type('example.org')
    await page.keyboard.press('Enter')
    await expect.poll(() => textOf(field)).toBe('see [here](https://example.org) now')
    await press(page, 'z')
    expect(await textOf(field)).toBe('see here now')
  })

  it('changes the table at the caret', async () => {
    const { page, field } = await open('| a |\n| - |\n| b |')
    await select(field, 15, 15)
    await (await page.$('[data-command="table"]'))?.click()
    await (await page.waitForSelector('[data-change="row-below"]'))?.click()
    await expect.poll(() => textOf(field)).toBe('| a   |\n| --- |\n| b   |\n|     |')
  })

  it('shows completions while a name is typed', async () => {
    const { page, field } = await open('')
    await page.$eval('markdown-editor', (element) => {
      const editor = element as unknown as { completions: unknown }
      editor.completions = [{ trigger: '@', search: () => [{ label: 'ada' }, { label: 'grace' }] }]
    })
    await field.focus()
    await page.keyboard.type('@')
    await page.waitForSelector('[role="option"]', { visible: true })
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Tab')
    await expect.poll(() => textOf(field)).toBe('@grace ')
  })

  it('works with CodeMirror under the same policy', async () => {
    const { page, field } = await open('one ')
    await page.$eval('markdown-editor', (element) => element.setAttribute('surface', 'codemirror'))
    await page.waitForSelector('.cm-content')
    await select(field, 4, 4)
    await page.keyboard.type('two')
    expect(await textOf(field)).toBe('one two')
    await page.keyboard.press('Enter')
    await page.keyboard.type('x')
    expect(await textOf(field)).toBe('one two\nx')
    const styles = await page.evaluate(() => {
      const of = (selector: string): CSSStyleDeclaration =>
        getComputedStyle(document.querySelector(selector) as Element)
      return {
        font: [of('.cm-line').fontFamily, of('textarea').fontFamily],
        padding: of('.cm-content').paddingTop,
      }
    })
    expect(styles.font[0]).toBe(styles.font[1])
    expect(styles.padding).toBe('12px')
    await press(page, 'z')
    expect(await textOf(field)).not.toContain('x')
  })

  it('keeps the position of a failed upload, and sends the form with the file and the pressed button', async () => {
    server.onUpload = () => problem(503, 'storage_failed', 'Try later.')
    const { page, field } = await open('text ')
    await select(field, 5, 5)
    const drop = (): void => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File(['x'], 'a.pdf', { type: 'application/pdf' }))
      const event = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true })
      document.querySelector('markdown-editor')?.dispatchEvent(event)
    }
    await page.evaluate(drop)
    await expect.poll(() => textOf(field)).toBe('text \n\n[Uploading a.pdf…]()\n\n')
    const retry = await page.waitForSelector('.md-editor-upload-ended button')
    server.onUpload = null
    await retry?.click()
    await expect
      .poll(() => textOf(field))
      .toMatch(/^text \n\n\[a\.pdf\]\(\/media\/md-editor\/tmp\/\S+\)\n\n$/)
    await (await page.$('button[value=publish]'))?.click()
    await expect.poll(() => server.saved.length).toBe(1)
    const { body, action } = Object.fromEntries(server.saved[0] ?? [])
    expect(body).toMatch(/^text\s+\[a\.pdf\]\(\/media\/md-editor\/uploads\/\S+\)\s+$/)
    expect(action).toBe('publish')
  })
})
