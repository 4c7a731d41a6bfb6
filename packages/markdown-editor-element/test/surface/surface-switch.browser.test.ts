import { describe, expect, it } from 'vitest'
import { useCodeMirror, withCodeMirror } from '../support/code-mirror.ts'
import { previewPane } from '../support/preview.ts'
import { useTestSite } from '../support/test-site.ts'

const LINE =
  'Some words of *markdown* in a line that goes on for a while, so that it may have to wrap.\n\n'
const textOf = (length: number): string =>
  LINE.repeat(Math.ceil(length / LINE.length)).slice(0, length)

describe('the surface of <markdown-editor>', () => {
  const site = useTestSite()

  it('is the textarea for short texts, and CodeMirror for long ones', async () => {
    const short = await site.open({ fields: { body: textOf(40_000) } })
    const long = await withCodeMirror(await site.open({ fields: { body: textOf(40_001) } }))
    expect(await long.value()).toBe(textOf(40_001))
    expect(await short.page.locator('.cm-editor').count()).toBe(0)
  })

  it('remains the textarea if the attribute says so', async () => {
    const { page, text } = await site.open()
    await page
      .locator('markdown-editor')
      .evaluate((element) => element.setAttribute('surface', 'native'))
    await text.fill(textOf(50_000))
    await text.press('x')
    expect(await page.locator('.cm-editor').count()).toBe(0)
  })

  it('changes during typing and keeps the caret, and stays when the text is short again', async () => {
    const { page, text, select } = await site.open({ fields: { body: textOf(39_999) } })
    await text.evaluate((element) => {
      element.scrollTop = 3000
    })
    await select(3003, 3003)
    await text.evaluate((element) => {
      element.scrollTop = 600
    })
    await page.keyboard.insertText('abc')
    const { content, value } = await withCodeMirror({ page, text } as never)
    expect(await content.evaluate((element) => element === document.activeElement)).toBe(true)
    await page.keyboard.type('def')
    expect((await value()).slice(3000, 3012)).toBe(
      `${textOf(39_999).slice(3000, 3003)}abcdef${textOf(39_999).slice(3003, 3006)}`,
    )

    await page.keyboard.press('Control+a')
    await page.keyboard.insertText('short')
    await page.keyboard.press('Tab')
    expect(await page.locator('.cm-editor').count()).toBe(1)
    expect(await value()).toBe('short')
  })

  it('shows the caret after the change, even with soft wraps', async () => {
    const lines = Array.from(
      { length: 300 },
      (_, index) => `${index} ${LINE.repeat(1 + (index % 3)).trim()}`,
    )
    const body = lines.map((line) => line.replaceAll('\n', ' ')).join('\n')
    const { page, select } = await site.open(
      { fields: { body } },
      { viewport: { width: 500, height: 700 } },
    )
    const editor = page.locator('markdown-editor')
    await editor.evaluate((element) => element.setAttribute('surface', 'native'))
    const caret = body.indexOf('\n200 ') + 1
    await select(caret, caret)
    await editor.evaluate((element) => element.setAttribute('surface', 'codemirror'))
    const scroller = page.locator('.cm-scroller')
    const line = scroller.getByText(/^200 /)
    await expect
      .poll(async () => {
        const [shown, box] = [await line.boundingBox(), await scroller.boundingBox()]
        return shown !== null && box !== null && shown.y > box.y && shown.y < box.y + box.height
      })
      .toBe(true)
  })

  it('waits for the end of a composition', async () => {
    const { page, text, select } = await site.open({ fields: { body: textOf(39_990) } })
    await select(5, 5)
    const devTools = await page.context().newCDPSession(page)
    for (const composed of ['に', 'にほんにほんにほんに']) {
      await devTools.send('Input.imeSetComposition', {
        text: composed,
        selectionStart: 1,
        selectionEnd: 1,
      })
    }
    await page
      .locator('markdown-editor')
      .evaluate((element) => element.setAttribute('surface', 'codemirror'))
    // The script is loaded, but the surface does not change during the composition.
    const isLoaded = (): Promise<boolean> =>
      page.evaluate(() =>
        performance.getEntriesByType('resource').some(({ name }) => name.includes('codemirror')),
      )
    await expect.poll(isLoaded).toBe(true)
    await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)))
    expect(await page.locator('.cm-editor').count()).toBe(0)
    await devTools.send('Input.insertText', { text: '日本' })
    const { value } = await withCodeMirror({ page, text } as never)
    expect((await value()).slice(0, 9)).toBe('Some 日本wo')
  })

  it('remains the textarea if CodeMirror cannot be loaded', async () => {
    const { page, text } = await site.open()
    let requests = 0
    await page.route('**/codemirror*', (route) => {
      requests++
      return route.abort()
    })
    await page
      .locator('markdown-editor')
      .evaluate((element) => element.setAttribute('surface', 'codemirror'))
    await expect.poll(() => requests).toBe(1)
    await text.fill('still there')
    expect(await text.inputValue()).toBe('still there')
    expect(await page.locator('.cm-editor').count()).toBe(0)
  })

  it('previews the text that is written in CodeMirror', async () => {
    const opened = await site.open({ fields: { body: 'one' } })
    const { page, content } = await useCodeMirror(opened)
    await content.click()
    await page.keyboard.press('End')
    await page.keyboard.type(' *two*')
    await page.getByRole('tab', { name: 'Preview' }).click()
    await previewPane(opened).locator('em').waitFor()
    expect(await content.isVisible()).toBe(false)
    await page.getByRole('tab', { name: 'Write' }).click()
    expect(await content.isVisible()).toBe(true)
  })

  it('opens a text of 1 MB and types into it', { timeout: 60_000 }, async () => {
    const { page, content, value } = await withCodeMirror(
      await site.open({ fields: { body: textOf(1_000_000) } }),
    )
    await content.click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('The end.')
    expect((await value()).slice(999_990)).toBe(`${textOf(1_000_000).slice(999_990)}The end.`)
    await page.keyboard.press('Control+b')
    await expect.poll(async () => (await value()).length).toBe(1_000_012)
  })
})
