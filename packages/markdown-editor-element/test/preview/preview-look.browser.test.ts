import type { Locator } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { OpenPage } from '../support/open-page.ts'
import { openPreview, previewPane } from '../support/preview.ts'
import { useTestSite } from '../support/test-site.ts'

describe('the appearance of the preview', () => {
  const site = useTestSite()

  const open = async (body: string): Promise<OpenPage> => {
    const opened = await site.open({ fields: { body } })
    await openPreview(opened)
    await previewPane(opened).locator(':not(.md-editor-hint)').first().waitFor()
    return opened
  }
  const styleOf = (locator: Locator, property: string): Promise<string> =>
    locator.evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property)

  it('is light or dark like the editor, whatever the page uses', async () => {
    const opened = await open('```\nlet a = 1\n```\n\n> [!NOTE]\n> text')
    const pane = previewPane(opened)
    const looks = async (theme: string, page: string): Promise<string[]> => {
      await opened.page.evaluate(
        (value) => document.documentElement.setAttribute('data-theme', value),
        page,
      )
      await opened.page
        .locator('markdown-editor')
        .evaluate((editor, value) => editor.setAttribute('theme', value), theme)
      return Promise.all([
        styleOf(pane.locator('pre'), 'background-color'),
        styleOf(pane.locator('.markdown-alert-title'), 'color'),
        styleOf(pane, 'color'),
      ])
    }
    const dark = ['rgb(30, 33, 40)', 'rgb(108, 176, 255)', 'rgb(229, 231, 236)']
    expect(await looks('dark', 'light')).toEqual(dark)
    expect(await looks('dark', 'dark')).toEqual(dark)
    expect(await looks('light', 'dark')).toEqual([
      'rgb(245, 246, 248)',
      'rgb(11, 92, 173)',
      'rgb(27, 29, 35)',
    ])
  })

  /**
   * Returns the left and right edge of the text in an element, relative to the left edge of the
   * pane, and the width of the pane.
   */
  const textIn = (locator: Locator): Promise<{ left: number; right: number; width: number }> =>
    locator.evaluate((element) => {
      const range = document.createRange()
      range.selectNodeContents(element)
      const text = range.getBoundingClientRect()
      const pane = (element.closest('.md-editor-preview') as HTMLElement).getBoundingClientRect()
      return { left: text.left - pane.left, right: text.right - pane.left, width: pane.width }
    })

  it('aligns each paragraph by the direction of its letters', async () => {
    const opened = await open(
      '## مرحبا\n\nEnglish text.\n\nنص عربي.\n\n<p dir="ltr">نص</p>\n\n- item\n- عنصر',
    )
    const pane = previewPane(opened)
    const [english, arabic, fixed] = await Promise.all(
      [0, 1, 2].map((index) => textIn(pane.locator('p').nth(index))),
    )
    const heading = await textIn(pane.locator('h2'))
    for (const text of [arabic, heading])
      expect(text?.right).toBeGreaterThan((text?.width ?? 0) - 20)
    for (const text of [english, fixed]) expect(text?.left).toBeLessThan(20)
    const [item, arabicItem] = await Promise.all(
      [0, 1].map((index) => textIn(pane.locator('li').nth(index))),
    )
    expect(arabicItem?.left).toBeCloseTo(item?.left ?? 0, 0) // Both begin next to their bullet.
  })

  it.each(['ltr', 'rtl'])('places task boxes like bullets: %s', async (direction) => {
    const opened = await open('- [ ] one\n- [x] مهمة\n\n1. a\n2. b')
    const pane = previewPane(opened)
    await opened.page.evaluate(
      (value) => document.documentElement.setAttribute('dir', value),
      direction,
    )
    for (const index of [0, 1]) {
      const box = await pane.getByRole('checkbox').nth(index).boundingBox()
      const item = await pane.locator('.task-list-item').nth(index).boundingBox()
      if (box === null || item === null) throw new Error('It is not visible.')
      if (direction === 'ltr') expect(box.x + box.width).toBeLessThan(item.x)
      else expect(box.x).toBeGreaterThan(item.x + item.width)
      expect(Math.abs(box.y + box.height / 2 - item.y - item.height / 2)).toBeLessThan(1.5)
    }
  })

  it('keeps names and roles of tasks, notes, alerts and tables', async () => {
    const body =
      '- [x] **done**\n\n> [!TIP]\n> text\n\n| a |\n|--|\n| b |\n\nText[^1].\n\n[^1]: Note.'
    const opened = await open(body)
    const pane = previewPane(opened)
    expect(
      await pane.getByRole('checkbox', { name: 'done', checked: true, disabled: true }).count(),
    ).toBe(1)
    expect(await pane.getByRole('link', { name: 'Back to reference 1' }).count()).toBe(1)
    expect(await pane.getByText('Tip', { exact: true }).isVisible()).toBe(true)
    const { nodes } = await (await opened.page.context().newCDPSession(opened.page)).send(
      'Accessibility.getFullAXTree',
    )
    const roles = nodes.map(({ role }) => String(role?.value))
    expect(roles.filter((role) => /^(?:table|row|cell|columnheader)$/.test(role)).sort()).toEqual([
      ...['cell', 'columnheader', 'row', 'row', 'table'],
    ])
  })

  it('can be reached by keyboard where code and tables scroll', async () => {
    const wide = 'wide'.repeat(200)
    const opened = await open(`\`\`\`\n${wide}\n\`\`\`\n\n| a |\n|--|\n| \`${wide}\` |\n`)
    const pane = previewPane(opened)
    const focused = (): Promise<string> =>
      opened.page.evaluate(() => document.activeElement?.localName ?? '')
    expect(await pane.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
    await pane.focus()
    await opened.page.keyboard.press('Tab')
    expect(await focused()).toBe('pre')
    await opened.page.keyboard.press('ArrowRight')
    await expect
      .poll(() => pane.locator('pre').evaluate((element) => element.scrollLeft))
      .toBeGreaterThan(0)
    await opened.page.keyboard.press('Tab')
    expect(await focused()).toBe('table')
  })
})
