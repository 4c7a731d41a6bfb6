import { describe, expect, it } from 'vitest'
import { useTestSite } from '../support/test-site.ts'

/** Returns the contrast ratio of two computed colors of the form `rgb(…)` or `color(srgb …)`. */
function contrast(one: string, other: string): number {
  const luminance = (color: string): number => {
    const scale = color.startsWith('rgb') ? 255 : 1
    const [red = 0, green = 0, blue = 0] = (color.match(/\d+(?:\.\d+)?/g) ?? [])
      .map((part) => Number(part) / scale)
      .map((part) => (part <= 0.04 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

describe('the appearance of <markdown-editor>', () => {
  const site = useTestSite()

  it.each(['light', 'dark'] as const)(
    'has a border and a focus ring with enough contrast: %s',
    async (colorScheme) => {
      const { page, text } = await site.open({}, { colorScheme })
      await text.focus()
      const { border, ring, background } = await page
        .locator('markdown-editor')
        .evaluate((element) => {
          const { borderTopColor, outlineColor, backgroundColor } = getComputedStyle(element)
          return { border: borderTopColor, ring: outlineColor, background: backgroundColor }
        })
      expect(contrast(border, background)).toBeGreaterThanOrEqual(3)
      expect(contrast(ring, background)).toBeGreaterThanOrEqual(3)
    },
  )

  it.each(['native', 'codemirror'] as const)(
    'grows with its text between two heights: %s',
    async (surface) => {
      const { page } = await site.open(
        { widget: { surface, height: '120px' } },
        { viewport: { width: 800, height: 600 } },
      )
      const field = page.locator(surface === 'native' ? 'textarea' : '.md-editor-surface')
      const height = async (): Promise<number> => (await field.boundingBox())?.height ?? 0
      const write = (text: string): Promise<void> =>
        page.locator('markdown-editor').evaluate((element, value) => {
          Reflect.set(element, 'value', value)
        }, text)
      await field.waitFor()
      expect(await height()).toBe(120)
      await write('line\n'.repeat(9))
      await expect.poll(height).toBeGreaterThan(200)
      expect(await height()).toBeLessThan(300)
      await write('line\n'.repeat(200))
      await expect.poll(height).toBe(450)
      await write('')
      await expect.poll(height).toBe(120)
    },
  )

  it.each([1280, 360, 344])('has a footer of one line: %i px', async (width) => {
    const isPhone = width < 400
    const options = { hasTouch: isPhone, isMobile: isPhone }
    const { page, text } = await site.open(
      { widget: { draft: 'a' } },
      { viewport: { width, height: 700 }, ...options },
    )
    await text.fill('Some words for the count.')
    await page.getByText('5 words').waitFor()
    await page.getByText(/^Draft saved/).waitFor()
    const label = isPhone ? 'Tap to add files' : 'Paste, drop, or click to add files'
    expect(await page.getByRole('button', { name: label }).isVisible()).toBe(true)
    const [words, saved] = await Promise.all([
      page.getByText('5 words').boundingBox(),
      page.getByText(/^Draft saved/).boundingBox(),
    ])
    expect(words?.y).toBeCloseTo(saved?.y ?? 0, 0)
    const footer = await page.locator('.md-editor-footer').boundingBox()
    expect(footer?.height).toBeLessThan(isPhone ? 50 : 40)
    const end = ({ x = 0, width = 0 } = {}): number => x + width
    const add = await page.getByText(label).evaluate((element) => {
      const range = document.createRange()
      range.selectNodeContents(element)
      const { x, width } = range.getBoundingClientRect()
      return { x, width }
    })
    expect((saved?.x ?? 0) - end(add)).toBeGreaterThanOrEqual(8)
    expect((words?.x ?? 0) - end(saved ?? undefined)).toBeGreaterThanOrEqual(8)
  })

  it.each([1280, 780, 360])('shows all buttons in columns below the tabs: %i px', async (width) => {
    const { page, button } = await site.open({}, { viewport: { width, height: 700 } })
    const tabs = page.getByRole('tablist')
    const before = await tabs.boundingBox()
    await button('More').click()
    expect(await tabs.boundingBox()).toEqual(before)
    const icon = await button('Bold').boundingBox()
    const named = page.locator('.md-editor-named')
    const names = await named.allTextContents()
    const boxes = await named.evaluateAll((buttons) =>
      buttons.map((each) => each.getBoundingClientRect().toJSON()),
    )
    const starts = Map.groupBy(boxes, ({ x }: DOMRect) => Math.round(x))
    expect(Math.min(...boxes.map(({ y }) => y))).toBeGreaterThan(icon?.y ?? 0)
    expect(starts.size).toBeLessThanOrEqual(4)
    expect(Math.min(...starts.keys())).toBeCloseTo(icon?.x ?? 0, 0)
    await button('Bold').focus()
    await button('More').press('ArrowDown')
    expect(await named.allTextContents()).toEqual(names)
  })

  it.each(['native', 'codemirror'] as const)(
    'keeps the header above a long text, and the caret below the header: %s',
    async (surface) => {
      const body = Array.from({ length: 100 }, (_, index) => `line ${index}`).join('\n')
      const { page } = await site.open({ fields: { body }, widget: { surface } })
      const field = page.getByRole('textbox', { name: 'body' })
      await field.focus()
      await page.keyboard.press('Control+Home')
      for (let line = 0; line < 16; line++) await page.keyboard.press('ArrowDown')
      const header = page.locator('.md-editor-header')
      const top = () => header.evaluate((element) => element.getBoundingClientRect().top)
      await page.evaluate(() => {
        document.body.style.paddingBlockEnd = '100vh'
        scrollTo(0, 300)
      })
      expect(await top()).toBe(0)
      /** The distance of the caret's line to the header. Letters are lower than their line. */
      const distance = (line: number) =>
        field.evaluate((element, above) => {
          const bottom = document.querySelector('.md-editor-header')?.getBoundingClientRect().bottom
          if (!(element instanceof HTMLTextAreaElement)) {
            const node = document.getSelection()?.focusNode?.parentElement
            return (node?.getBoundingClientRect().top ?? 0) - (bottom ?? 0) + 2
          }
          const { lineHeight, paddingTop } = getComputedStyle(element)
          const start = element.getBoundingClientRect().top - element.scrollTop - (bottom ?? 0)
          return start + Number.parseFloat(paddingTop) + above * Number.parseFloat(lineHeight)
        }, line)
      for (let line = 15; line >= 0; line--) {
        await page.keyboard.press('ArrowUp')
        await expect.poll(() => distance(line)).toBeGreaterThanOrEqual(0)
      }
      await page.evaluate(() => {
        document.documentElement.style.setProperty('--md-editor-top', '50px')
        scrollTo(0, 300)
      })
      expect(await top()).toBe(50)
      await page.getByRole('button', { name: 'Full screen' }).press('Enter')
      await page.locator('[data-fullscreen]').waitFor()
      expect(await top()).toBe(0)
    },
  )

  it('keeps the tabs above a preview that is higher than the window', async () => {
    const paragraphs = Array.from({ length: 60 }, (_, index) => `Line [${index}](/${index})`)
    const { page } = await site.open({ fields: { body: paragraphs.join('\n\n') } })
    await page.getByRole('tab', { name: 'Preview' }).click()
    const preview = page.getByRole('tabpanel')
    await preview.getByRole('link', { name: '59' }).focus()
    const tab = page.getByRole('tab', { name: 'Write' })
    expect((await tab.boundingBox())?.y).toBeGreaterThanOrEqual(0)
    // The tabs do not cover a link that gets the focus.
    const link = preview.getByRole('link', { name: '30' })
    await link.focus()
    await preview.getByRole('link', { name: '10', exact: true }).focus()
    const header = await page.locator('.md-editor-header').boundingBox()
    const { y = 0 } =
      (await preview.getByRole('link', { name: '10', exact: true }).boundingBox()) ?? {}
    expect(y).toBeGreaterThanOrEqual((header?.y ?? 0) + (header?.height ?? 0))
    await tab.click()
    expect(await page.locator('textarea').first().isVisible()).toBe(true)
  })

  it.each(['readOnly', 'disabled'] as const)('offers no files if the text is %s', async (state) => {
    const { page, text } = await site.open()
    const add = page.getByRole('button', { name: 'add files' })
    await add.waitFor()
    await text.evaluate((area, key) => Reflect.set(area, key, true), state)
    expect(await add.isVisible()).toBe(false)
    await text.evaluate((area, key) => Reflect.set(area, key, false), state)
    expect(await add.isVisible()).toBe(true)
  })

  it('writes counts in their order on a page from right to left', async () => {
    const { page, text } = await site.open()
    await page.evaluate(() => {
      document.dir = 'rtl'
    })
    await text.fill('Some words')
    const status = page.getByText('2 words')
    await status.waitFor()
    const [number, word] = await status.evaluate(({ firstChild }) =>
      [0, 3].map((start) => {
        const range = document.createRange()
        range.setStart(firstChild as Text, start)
        range.setEnd(firstChild as Text, start + 1)
        return range.getBoundingClientRect().x
      }),
    )
    expect(number).toBeLessThan(word ?? 0)
  })
})
