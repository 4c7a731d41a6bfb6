import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { type CodeMirrorPage, useCodeMirror, withCodeMirror } from '../support/code-mirror.ts'
import type { PageParts } from '../support/open-page.ts'
import { useTestSite } from '../support/test-site.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

// These tests cover the features that work in the same way in CodeMirror and in the textarea.
describe('the editor with CodeMirror', () => {
  const site = useTestSite()

  const open = async (body: string, parts: PageParts = {}): Promise<CodeMirrorPage> =>
    useCodeMirror(await site.open({ fields: { body }, ...parts }))

  const goToEnd = async ({ page, content }: CodeMirrorPage): Promise<void> => {
    await content.focus()
    await page.waitForLoadState('networkidle')
    await page.keyboard.press('Control+End')
  }

  it('continues lists with Enter, ends them, and indents with Tab', async () => {
    const opened = await open('- one')
    const { page, value } = opened
    await goToEnd(opened)
    await page.keyboard.press('Enter')
    await page.keyboard.insertText('two')
    expect(await value()).toBe('- one\n- two')
    await page.keyboard.press('Tab')
    expect(await value()).toBe('- one\n  - two')
    await page.keyboard.press('Control+z')
    expect(await value()).toBe('- one\n- two')
    await page.keyboard.press('Control+End')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    expect(await value()).toBe('- one\n- two\n\n')
  })

  it('converts pasted HTML to markdown, and creates a link for an address pasted on words', async () => {
    const opened = await open('see here')
    const { page, content, select, value } = opened
    await goToEnd(opened)
    const paste = (data: Record<string, string>): Promise<void> =>
      content.evaluate((element, all) => {
        const clipboardData = new DataTransfer()
        for (const [type, text] of Object.entries(all)) clipboardData.setData(type, text)
        // Like browsers, dispatches the event at the caret, which may be in a line element.
        const target = element.querySelector('.cm-line') ?? element
        target.dispatchEvent(
          new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
        )
      }, data)
    await paste({ 'text/plain': 'bold', 'text/html': '<b>bold</b>' })
    await expect.poll(value).toBe('see here**bold**')
    await select(4, 8)
    await paste({ 'text/plain': 'https://example.org/' })
    await expect.poll(value).toBe('see [here](https://example.org/)**bold**')
    await page.keyboard.press('Control+z')
    expect(await value()).toBe('see here**bold**')
  })

  it('uploads dropped and pasted files once, without inserting their content', async () => {
    const opened = await open('text')
    const { content, value } = opened
    await goToEnd(opened)
    for (const type of ['drop', 'paste']) {
      await content.evaluate((element, name) => {
        const data = new DataTransfer()
        data.items.add(new File(['hello'], `${name}.txt`, { type: 'text/plain' }))
        const init = { bubbles: true, cancelable: true }
        const event =
          name === 'drop'
            ? new DragEvent('drop', { ...init, dataTransfer: data, clientX: 1, clientY: 1 })
            : new ClipboardEvent('paste', { ...init, clipboardData: data })
        element.dispatchEvent(event)
      }, type)
    }
    await expect
      .poll(value)
      .toMatch(
        /drop\.txt\]\(\/media.*paste\.txt\]\(\/media|paste\.txt\]\(\/media.*drop\.txt\]\(\/media/s,
      )
    expect(await value()).not.toContain('hello')
    expect(site.server.files.map(({ name }) => name).sort()).toEqual(['drop.txt', 'paste.txt'])
  })

  it('finalizes on submit', async () => {
    const opened = await open('![](/media/md-editor/tmp/m1-a.png)\n'.repeat(400))
    const { page, button, content } = opened
    await content.focus()
    await page.keyboard.insertText('x')
    await button('Publish').click()
    await page.waitForURL('**/save')
    const saved = site.server.saved[0]?.get('body') ?? ''
    expect(saved.startsWith('x![](/media/md-editor/uploads/')).toBe(true)
    expect(saved).not.toContain('/tmp/')
  })

  it.each([
    ['dark pages', { colorScheme: 'dark' }],
    ['forced colors', { forcedColors: 'active' }],
  ] as const)('has the colors and font of the textarea: %s', async (_name, options) => {
    const opened = await site.open({ fields: { body: 'one' } }, options)
    const lookOf = (selector: string): Promise<string[]> =>
      opened.page
        .locator(selector)
        .first()
        .evaluate((element) => {
          const { color, caretColor, fontFamily, fontSize } = getComputedStyle(element)
          return [color, caretColor, fontFamily, fontSize]
        })
    const native = await lookOf('textarea')
    await useCodeMirror(opened)
    expect(await lookOf('.cm-content')).toEqual(native)
  })

  it.each(['light', 'dark'] as const)('passes axe: %s', async (colorScheme) => {
    const { page, content } = await useCodeMirror(
      await site.open({ fields: { body: '' } }, { colorScheme }),
    )
    await page.evaluate(axe)
    const flaws = async (): Promise<string[]> => {
      const { violations } = (await page.evaluate("axe.run('form')")) as {
        violations: { id: string }[]
      }
      return violations.map(({ id }) => id)
    }
    expect(await flaws()).toEqual([])
    await content.focus()
    await page.keyboard.insertText('text')
    await page.locator('textarea').evaluate((element) => element.setAttribute('readonly', ''))
    await page.locator('[aria-readonly]').waitFor()
    expect(await flaws()).toEqual([])
  })

  it('leaves no listeners and no nodes', async () => {
    const { page, content } = await open('one')
    const devTools = await page.context().newCDPSession(page)
    const count = async (): Promise<{ nodes: number; listeners: number }> => {
      await devTools.send('HeapProfiler.collectGarbage')
      const { nodes, jsEventListeners: listeners } = await devTools.send('Memory.getDOMCounters')
      return { nodes, listeners }
    }
    const replace = async (times: number): Promise<void> => {
      for (let time = 0; time < times; time++) {
        await page.locator('markdown-editor').evaluate((element) => {
          const copy = element.cloneNode(true)
          element.replaceWith(copy)
        })
        await content.waitFor()
      }
    }
    await replace(3)
    const before = await count()
    await replace(10)
    const after = await count()
    expect(after.listeners - before.listeners).toBeLessThan(10)
    expect(after.nodes - before.nodes).toBeLessThan(50)
  })

  it('works in a copy of the page, with an unchanged textarea', async () => {
    const opened = await open('one')
    await opened.page.locator('markdown-editor').evaluate((element) => {
      const copy = element.cloneNode(true) as HTMLElement
      copy.setAttribute('surface', 'native')
      element.replaceWith(copy)
    })
    const { page, text } = opened
    await page.locator('.cm-editor').waitFor({ state: 'detached' })
    expect(await text.isVisible()).toBe(true)
    expect(await text.getAttribute('aria-hidden')).toBe(null)
    expect(await text.getAttribute('tabindex')).toBe(null)
    expect(await page.getByRole('toolbar').count()).toBe(1)
  })

  it('counts the words of a text that a script makes long, and previews it side by side', async () => {
    const opened = await site.open({ fields: { body: 'one' } })
    const { page } = opened
    await page.getByRole('tab', { name: 'Split' }).click()
    await page.locator('.md-editor-preview p').waitFor()
    await opened.text.evaluate((element: HTMLTextAreaElement) => {
      element.value = 'Some *words*.\n\n'.repeat(4000)
      element.dispatchEvent(new Event('input', { bubbles: true }))
    })
    const { select } = await withCodeMirror(opened)
    await select(0, 0)
    await page.keyboard.type('New ')
    await expect
      .poll(() => page.locator('.md-editor-preview p').first().textContent())
      .toBe('New Some words.')
  })
})
