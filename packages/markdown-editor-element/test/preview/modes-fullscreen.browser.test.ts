import { describe, expect, it } from 'vitest'
import type { OpenPage } from '../support/open-page.ts'
import { previewPane } from '../support/preview.ts'
import { useTestSite } from '../support/test-site.ts'

describe('the editor in full screen', () => {
  const site = useTestSite()

  const open = async (): Promise<OpenPage> =>
    site.open(
      {
        fields: { first: 'one', second: 'two' },
        before: `<input name="title">${'<p>tall</p>'.repeat(30)}`,
      },
      { viewport: { width: 1000, height: 700 } },
    )
  const isFull = ({ page }: OpenPage): Promise<boolean> =>
    page
      .locator('markdown-editor')
      .first()
      .evaluate((element) => {
        const { left, top, right, bottom } = element.getBoundingClientRect()
        return left === 0 && top === 0 && right === innerWidth && bottom === innerHeight
      })
  const focused = ({ page }: OpenPage): Promise<string> =>
    page.evaluate(
      () =>
        document.activeElement?.getAttribute('aria-label') ??
        document.activeElement?.localName ??
        '',
    )
  const enter = async (opened: OpenPage): Promise<void> => {
    await opened.button('Full screen').click()
    await expect.poll(() => isFull(opened)).toBe(true)
  }

  it('leaves full screen when another field is invalid', async () => {
    const opened = await open()
    const { page } = opened
    await page.locator('input[name=title]').evaluate((element: HTMLInputElement) => {
      element.required = true
    })
    await enter(opened)
    await opened.text.press('Control+Enter')
    await expect.poll(() => isFull(opened)).toBe(false)
    expect(await focused(opened)).toBe('input')
    expect(site.server.saved).toEqual([])
    await page.locator('input[name=title]').fill('A title')
    await enter(opened)
    await opened.text.press('Control+Enter')
    await page.waitForURL('**/save')
    expect(site.server.saved.length).toBe(1)
  })

  it('submits the form on Mod+Enter from the preview', async () => {
    const { page } = await open()
    const tab = page.getByRole('tab', { name: 'Preview' }).first()
    await tab.click()
    await tab.press('Control+Enter')
    await page.waitForURL('**/save')
  })

  it.each(['ltr', 'rtl'])(
    'shows the name of a focused button below the button: %s',
    async (dir) => {
      const opened = await open()
      const { page } = opened
      await page.locator('html').evaluate((html, value) => html.setAttribute('dir', value), dir)
      await page.setViewportSize({ width: 1280, height: 700 })
      await enter(opened)
      await page.keyboard.press('Shift') // Shows the focus as after a key.
      const isNamed = (name: string): Promise<boolean> =>
        opened.button(name).evaluate((element) => {
          const { bottom, left, width } = element.getBoundingClientRect()
          const found = document.elementFromPoint(left + width / 2, bottom + 16)
          return found?.parentElement === element
        })
      for (const name of ['Bold', 'Help', 'Full screen']) {
        await opened.button(name).focus()
        expect([name, await isNamed(name)]).toEqual([name, true])
      }
      for (const full of [false, true]) {
        await page.keyboard.press('Enter')
        await expect.poll(() => isFull(opened)).toBe(full)
        await expect.poll(() => isNamed('Full screen')).toBe(true)
      }
    },
  )

  it('submits the form with a copy of its first submit button', async () => {
    const opened = await open()
    const { page } = opened
    const submit = page.locator('.md-editor-tools').getByRole('button', { name: 'Save draft' })
    await enter(opened)
    await submit.waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => submit.count()).toBe(0)
    await enter(opened)
    await submit.click()
    await page.waitForURL('**/save')
    expect(site.server.saved.length).toBe(1)
  })

  it('has no enabled submit button if that of the form is disabled', async () => {
    const opened = await open()
    const submit = opened.page.locator('button[name=action]').first()
    await submit.evaluate((element: HTMLButtonElement) => {
      element.disabled = true
      element.ariaLabel = 'Send it'
    })
    await enter(opened)
    const copy = opened.page.locator('.md-editor-tools').getByRole('button', { name: 'Send it' })
    expect(await copy.isDisabled()).toBe(true)
  })

  it('leaves room for the text while all buttons are shown', async () => {
    const opened = await site.open({}, { viewport: { width: 360, height: 430 }, hasTouch: true })
    await enter(opened)
    await opened.button('More').tap()
    const { y = 0, height = 0 } = (await opened.text.boundingBox()) ?? {}
    expect(y).toBeLessThan(300)
    expect(height).toBeGreaterThan(60)
  })

  it('covers the page, wherever it is placed, and leaves the page unchanged', async () => {
    const opened = await open()
    const { page } = opened
    // These styles would clip an element with a fixed position.
    await page.evaluate(() => {
      const form = document.forms[0] as HTMLElement
      form.style.setProperty('transform', 'translateX(10px)')
      form.style.setProperty('overflow', 'hidden')
    })
    await opened.button('Full screen').scrollIntoViewIfNeeded()
    const scrolled = await page.evaluate(() => scrollY)
    const outside = (): Promise<string[]> =>
      page.evaluate(() =>
        [...document.querySelectorAll('[inert]')].map(({ localName }) => localName),
      )
    await enter(opened)
    expect(await opened.button('Full screen').getAttribute('aria-pressed')).toBe('true')
    expect(await outside()).not.toEqual([])
    expect(
      await page
        .locator('input[name=title]')
        .evaluate((element) => element.closest('[inert]') !== null),
    ).toBe(true)
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).overflow)).toBe(
      'hidden',
    )
    expect(Math.round((await opened.text.boundingBox())?.height ?? 0)).toBeGreaterThan(500)
    await opened.button('Full screen').click()
    await expect.poll(() => isFull(opened)).toBe(false)
    expect(await outside()).toEqual([])
    expect(await opened.button('Full screen').getAttribute('aria-pressed')).toBe('false')
    expect(await page.evaluate(() => scrollY)).toBe(scrolled)
    const host = page.locator('markdown-editor').first()
    expect(await host.evaluate((element) => element.hasAttribute('popover'))).toBe(false)
    expect(await page.evaluate(() => document.documentElement.style.overflow)).toBe('')
  })

  it('restores the scroll position of a page that is short without the editor', async () => {
    const opened = await site.open(
      { before: '<p>tall</p>'.repeat(5) },
      { viewport: { width: 360, height: 500 }, hasTouch: true },
    )
    const { page } = opened
    await page.evaluate(() => scrollTo(0, 150))
    expect(await page.evaluate(() => scrollY)).toBe(150)
    await enter(opened)
    await opened.button('Full screen').tap()
    await expect.poll(() => isFull(opened)).toBe(false)
    expect(await page.evaluate(() => scrollY)).toBe(150)
  })

  it('frames only the preview, which has no caret, while it has the focus', async () => {
    const opened = await open()
    await enter(opened)
    const frames = (): Promise<string[]> =>
      opened.page
        .locator('markdown-editor')
        .first()
        .evaluate((element) =>
          [element, element.querySelector('.md-editor-preview') ?? element].map((framed) => {
            const { outlineStyle, outlineWidth, outlineOffset } = getComputedStyle(framed)
            return outlineStyle === 'none' ? 'none' : `${outlineWidth} ${outlineOffset}`
          }),
        )
    await opened.text.focus()
    expect(await frames()).toEqual(['none', 'none'])
    await opened.page.keyboard.press('Control+Alt+p')
    await previewPane(opened).focus()
    await expect.poll(frames).toEqual(['none', '2px -2px'])
    await opened.page.keyboard.press('Control+Alt+p')
    await expect.poll(frames).toEqual(['none', '2px -2px'])
  })

  it('keeps the focus inside, and restores it', async () => {
    const opened = await open()
    const { page } = opened
    await opened.button('Full screen').focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => isFull(opened)).toBe(true)
    for (let press = 0; press < 12; press++) {
      await page.keyboard.press('Tab')
      const isInside = await page.evaluate(() => {
        const { activeElement: active, body } = document
        return active === body || document.querySelector('markdown-editor')?.contains(active)
      })
      expect(isInside).toBe(true)
    }
    await page.keyboard.press('Escape')
    expect(await isFull(opened)).toBe(false)
    expect(await focused(opened)).toBe('Full screen')
    await opened.text.focus()
    await opened.button('Full screen').click()
    await expect.poll(() => isFull(opened)).toBe(true)
    expect(await focused(opened)).toBe('textarea')
    await page.keyboard.press('Escape')
    expect(await isFull(opened)).toBe(false)
    expect(await focused(opened)).toBe('textarea')
  })

  it('leaves the Escape key to other handlers', async () => {
    const opened = await open()
    const { page } = opened
    await enter(opened)
    await opened.text.focus()
    await opened.text.evaluate((element) => {
      const prevent = (event: Event): void => event.preventDefault()
      element.addEventListener('keydown', prevent, { once: true })
    })
    await page.keyboard.press('Escape')
    expect(await isFull(opened)).toBe(true)
    await opened.button('Help').click()
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await isFull(opened)).toBe(true)
    await page.keyboard.press('Escape')
    expect(await isFull(opened)).toBe(false)
  })

  it('works in every mode', async () => {
    const opened = await open()
    const { page } = opened
    await enter(opened)
    await page.getByRole('tab', { name: 'Split' }).first().click()
    await previewPane(opened).getByText('one').waitFor()
    const boxes = async (): Promise<number[]> => {
      const [text, pane] = [
        await opened.text.boundingBox(),
        await previewPane(opened).boundingBox(),
      ]
      return [text?.height, text?.width, pane?.height, pane?.width].map((size) =>
        Math.round(size ?? 0),
      )
    }
    const [height = 0, , paneHeight = 0] = await boxes()
    expect(height).toBeGreaterThan(500)
    expect(paneHeight).toBe(height)
    await page.getByRole('tab', { name: 'Preview' }).first().click()
    expect((await boxes())[2]).toBeGreaterThan(500)
    expect(await isFull(opened)).toBe(true)
  })

  it('leaves full screen when it is removed', async () => {
    const opened = await open()
    await enter(opened)
    await opened.page
      .locator('markdown-editor')
      .first()
      .evaluate((element) => element.remove())
    expect(await opened.page.locator('[inert]').count()).toBe(0)
    expect(await opened.page.evaluate(() => document.documentElement.style.overflow)).toBe('')
  })
})
