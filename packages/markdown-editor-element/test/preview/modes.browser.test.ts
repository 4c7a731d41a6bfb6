import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Locator } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { MarkdownEditorElement } from '../../src/element/index.ts'
import type { OpenPage } from '../support/open-page.ts'
import { previewPane } from '../support/preview.ts'
import { useTestSite } from '../support/test-site.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

describe('the modes of the editor', () => {
  const site = useTestSite()

  const tab = ({ page }: OpenPage, name: string): Locator =>
    page.getByRole('tab', { name, exact: true })
  const selectedTab = ({ page }: OpenPage): Promise<string | null> =>
    page.getByRole('tab', { selected: true }).textContent()
  const focused = ({ page }: OpenPage): Promise<string> =>
    page.evaluate(
      () => document.activeElement?.textContent || document.activeElement?.localName || '',
    )

  it('show the text, both, or the preview', async () => {
    const opened = await site.open({ fields: { body: '**bold**' } })
    const seen = async (): Promise<boolean[]> => [
      await opened.text.isVisible(),
      await previewPane(opened).isVisible(),
      await opened.page.getByRole('toolbar').isVisible(),
    ]
    expect(await seen()).toEqual([true, false, true])
    await tab(opened, 'Split').click()
    await previewPane(opened).locator('strong').waitFor()
    expect(await seen()).toEqual([true, true, true])
    await tab(opened, 'Preview').click()
    expect(await seen()).toEqual([false, true, false])
    await tab(opened, 'Write').click()
    expect(await seen()).toEqual([true, false, true])
  })

  it.each(['write', 'split', 'preview'] as const)(
    'start as the attribute says: %s',
    async (mode) => {
      const opened = await site.open({ fields: { body: '**bold**' }, widget: { mode } })
      await tab(opened, { write: 'Write', split: 'Split', preview: 'Preview' }[mode]).waitFor()
      expect(await opened.page.locator('markdown-editor').getAttribute('data-mode')).toBe(mode)
      if (mode !== 'write') await previewPane(opened).locator('strong').waitFor()
      expect(await opened.text.isVisible()).toBe(mode !== 'preview')
      expect(await opened.page.getByRole('tab', { selected: true }).getAttribute('id')).toMatch(
        new RegExp(`${mode}$`),
      )
    },
  )

  it('follow the attribute, which does not follow the user', async () => {
    const opened = await site.open({ fields: { body: '**bold**' }, widget: { mode: 'split' } })
    const editor = opened.page.locator('markdown-editor')
    const set = (mode: string): Promise<void> =>
      editor.evaluate((element, value) => element.setAttribute('mode', value), mode)
    await tab(opened, 'Write').click()
    expect(await editor.getAttribute('mode')).toBe('split')
    await set('preview')
    expect(await selectedTab(opened)).toBe('Preview')
    await set('sideways')
    expect(await selectedTab(opened)).toBe('Write')
    await set('split')
    await editor.evaluate((element) => element.removeAttribute('mode'))
    expect(await selectedTab(opened)).toBe('Write')
  })

  it('start with the preview of a long text, which can be edited afterwards', async () => {
    const body = `**bold**\n\n${'some words of a long text\n\n'.repeat(2000)}`
    const opened = await site.open({ fields: { body }, widget: { mode: 'preview' } })
    await previewPane(opened).locator('strong').waitFor()
    await tab(opened, 'Write').click()
    await opened.page.locator('.cm-content').click()
    await opened.page.keyboard.press('Control+Home')
    await opened.page.keyboard.type('new ')
    expect(
      await opened.page
        .locator('markdown-editor')
        .evaluate((element) => (element as MarkdownEditorElement).value),
    ).toBe(`new ${body}`)
  })

  it('show a required text that starts with the preview', async () => {
    const opened = await site.open({ widget: { mode: 'preview', attrs: { required: true } } })
    await opened.button('Publish').click()
    expect(await selectedTab(opened)).toBe('Write')
    await expect.poll(() => focused(opened)).toBe('textarea')
  })

  it.each(['ltr', 'rtl'])('work as tabs for the keyboard: %s', async (direction) => {
    const opened = await site.open()
    await opened.page.evaluate(
      (value) => document.documentElement.setAttribute('dir', value),
      direction,
    )
    const [next, back] =
      direction === 'ltr' ? ['ArrowRight', 'ArrowLeft'] : ['ArrowLeft', 'ArrowRight']
    await tab(opened, 'Write').focus()
    const seen: (string | null)[] = []
    for (const key of [next, next, next, back, 'Home', 'End']) {
      await opened.page.keyboard.press(key ?? '')
      seen.push(await selectedTab(opened))
      expect(await focused(opened)).toBe(seen.at(-1))
    }
    expect(seen).toEqual(['Split', 'Preview', 'Write', 'Preview', 'Write', 'Preview'])
    await opened.page.keyboard.press('Shift+Tab')
    expect(
      await opened.page
        .getByRole('tab')
        .evaluateAll((all) => all.some((element) => element === document.activeElement)),
    ).toBe(false)
  })

  it('change by shortcut, and keep the focus on a visible part', async () => {
    const opened = await site.open({ fields: { body: 'some text' } })
    await opened.select(5, 9)
    const seen: unknown[] = []
    for (let press = 0; press < 3; press++) {
      await opened.page.keyboard.press('Control+Alt+p')
      const active = await opened.page.evaluate(() => document.activeElement?.className)
      seen.push(await selectedTab(opened), active)
    }
    const field = 'md-editor-textarea'
    expect(seen).toEqual([
      'Split',
      field,
      'Preview',
      'md-editor-preview md-content',
      'Write',
      field,
    ])
    expect(await opened.selection()).toEqual([5, 9])
  })

  it('move the focus to the selected tab if a tab has the focus', async () => {
    const opened = await site.open()
    await tab(opened, 'Preview').click()
    for (const name of ['Write', 'Split', 'Preview']) {
      await opened.page.keyboard.press('Control+Alt+p')
      expect(await selectedTab(opened)).toBe(name)
      expect(await focused(opened)).toBe(name)
    }
  })

  it('keep the field in place, with its undo history', async () => {
    const opened = await site.open()
    await opened.text.pressSequentially('abc')
    await opened.text.evaluate((element) => {
      new MutationObserver((records) => {
        const moved = records.flatMap(({ addedNodes, removedNodes }) => [
          ...addedNodes,
          ...removedNodes,
        ])
        if (moved.includes(element)) throw new Error('The field was moved.')
      }).observe(document, { childList: true, subtree: true })
    })
    for (const name of ['Split', 'Preview', 'Split', 'Write']) await tab(opened, name).click()
    await opened.text.press('Control+z')
    expect(await opened.text.inputValue()).toBe('')
  })

  it.each([1280, 360])('do not move what is below on the page: %i px', async (width) => {
    const opened = await site.open(
      { fields: { body: 'short' } },
      { viewport: { width, height: 900 } },
    )
    const below = async (): Promise<number> =>
      (await opened.button('Save draft').boundingBox())?.y ?? 0
    // Imitates a user who drags the corner of the field.
    await opened.text.evaluate((element) => element.style.setProperty('height', '140px'))
    const before = await below()
    await tab(opened, 'Preview').click()
    await previewPane(opened).getByText('short').waitFor()
    expect(await below()).toBeCloseTo(before, 0)
    const header = await opened.page.locator('.md-editor-header').boundingBox()
    expect(header?.height).toBeLessThan(50)
    await tab(opened, 'Write').click()
    expect(await below()).toBeCloseTo(before, 0)
  })

  it('do not scroll the page when the preview opens for the first time', async () => {
    const opened = await site.open(
      { fields: { body: 'A paragraph.\n\n'.repeat(100) }, before: '<p>Above</p>'.repeat(9) },
      { viewport: { width: 360, height: 740 } },
    )
    const { page } = opened
    await page.evaluate(() => scrollTo(0, 285))
    await tab(opened, 'Preview').click()
    await previewPane(opened).getByText('A paragraph.').first().waitFor()
    expect(await page.evaluate(() => scrollY)).toBe(285)
  })

  it('show the text if the form reports it as invalid', async () => {
    const opened = await site.open()
    await opened.text.evaluate((element: HTMLTextAreaElement) => {
      element.required = true
    })
    await tab(opened, 'Preview').click()
    await opened.button('Publish').click()
    expect(await selectedTab(opened)).toBe('Write')
    expect(await opened.text.evaluate((element) => element === document.activeElement)).toBe(true)
  })

  it.each([
    ['light', 1280],
    ['dark', 360],
  ] as const)('pass axe and fit: %s, %i px', { timeout: 60_000 }, async (colorScheme, width) => {
    const body = `## Head\n\n- [x] **done**\n\n> [!NOTE]\n> text\n\n| a |\n|--|\n| b |\n\n${'long '.repeat(200)}`
    const options = {
      colorScheme,
      viewport: { width, height: 800 },
      reducedMotion: 'reduce' as const,
    }
    const opened = await site.open({ fields: { body } }, options)
    const { page } = opened
    await page.evaluate(axe)
    const flaws: string[] = []
    const check = async (name: string): Promise<void> => {
      const { violations } = (await page.evaluate("axe.run('markdown-editor')")) as {
        violations: { id: string }[]
      }
      flaws.push(...violations.map(({ id }) => `${name}: ${id}`))
      const editor = await page
        .locator('markdown-editor')
        .evaluate((e) => [e.scrollWidth - e.clientWidth, innerWidth])
      if ((editor[0] ?? 1) > 0 || (editor[1] ?? 0) > width) flaws.push(`${name}: too wide`)
    }
    await opened.text.focus()
    await page.getByText(/\d words/).waitFor()
    for (const screen of ['page', 'fullscreen']) {
      if (screen === 'fullscreen') await opened.button('Full screen').click()
      for (const mode of width < 640 ? ['Write', 'Preview'] : ['Write', 'Split', 'Preview']) {
        await tab(opened, mode).click()
        if (mode !== 'Write') await previewPane(opened).locator('table').waitFor()
        await check(`${screen}, ${mode}`)
      }
    }
    expect(flaws).toEqual([])
  })

  it('print a long text completely, including the last key', async () => {
    const body = Array.from({ length: 3_000 }, (_, index) => `Paragraph ${index}.\n`).join('\n')
    const { page, text } = await site.open({ fields: { body } })
    await page.locator('.md-editor-surface').click()
    await page.keyboard.type('Written last. ')
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')))
    expect(await text.inputValue()).toContain('Written last. ')
    await page.emulateMedia({ media: 'print' })
    expect(await page.locator('.md-editor-surface').isVisible()).toBe(false)
    const [rest, height] = await text.evaluate((e) => [
      e.scrollHeight - e.clientHeight,
      e.clientHeight,
    ])
    expect(rest).toBeLessThanOrEqual(1)
    expect(height).toBeGreaterThan(3_000 * 20)
  })

  it('print the whole text, or the whole preview if it is open', async () => {
    const body = Array.from({ length: 200 }, (_, index) => `Paragraph ${index}.\n`).join('\n')
    const opened = await site.open({ fields: { body } })
    const { page } = opened
    const hidden = (locator: Locator): Promise<number> =>
      locator.evaluate((element) => element.scrollHeight - element.clientHeight)
    await opened.text.evaluate((element) => element.style.setProperty('height', '140px'))
    await page.emulateMedia({ media: 'print' })
    expect(await hidden(opened.text)).toBeLessThanOrEqual(1)
    await page.emulateMedia({ media: null })
    await tab(opened, 'Split').click()
    await previewPane(opened).getByText('Paragraph 199.').waitFor()
    expect(await hidden(previewPane(opened))).toBeGreaterThan(1000)
    await page.emulateMedia({ media: 'print' })
    expect(await hidden(previewPane(opened))).toBeLessThanOrEqual(1)
    expect(await opened.text.isVisible()).toBe(false)
    expect(await page.locator('markdown-editor > :visible').count()).toBe(1)
    expect(await hidden(page.locator('markdown-editor'))).toBeLessThanOrEqual(1)
  })

  it('have the focus in a shadow root, too', async () => {
    const opened = await site.open({ fields: { body: 'Text' } })
    await opened.page.evaluate(() => {
      const form = document.forms[0] as HTMLFormElement
      const shell = document.createElement('div')
      form.replaceWith(shell)
      shell.attachShadow({ mode: 'open' }).append(form)
    })
    const hasFocus = (element: Element): boolean => element.matches(':focus')
    await tab(opened, 'Write').focus()
    await opened.page.keyboard.press('ArrowRight')
    expect(await tab(opened, 'Split').evaluate(hasFocus)).toBe(true)
    await opened.page.keyboard.press('Control+Alt+p')
    expect(await tab(opened, 'Preview').evaluate(hasFocus)).toBe(true)
  })
})
