import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { png } from '../support/png.ts'
import { signIn } from '../support/sign-in.ts'
import { useDemo } from '../support/use-demo.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

describe('the editor of the demo', () => {
  const site = useDemo()

  /** Opens a signed-in page and collects the problems in its console. */
  async function open(
    options: BrowserContextOptions = {},
  ): Promise<{ page: Page; faults: string[] }> {
    const page = await site.newPage(options)
    const faults: string[] = []
    page.on('pageerror', (error) => faults.push(String(error)))
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text())
    })
    await signIn(page)
    return { page, faults }
  }

  it('creates a post from the first key to the published page', async () => {
    const { page, faults } = await open()
    await page.goto('/posts/new')
    await page.getByLabel('Title').fill('By hand')
    const text = page.getByRole('textbox', { name: 'Text' })
    await text.focus()
    await page.keyboard.type('strong')
    await text.press('Control+a')
    await text.press('Control+b')
    await expect.poll(() => text.inputValue()).toBe('**strong**')
    await text.press('Control+End')
    await page.keyboard.type('\n\n- one')
    await page.keyboard.press('Enter')
    await page.keyboard.type('two')
    await expect.poll(() => text.inputValue()).toBe('**strong**\n\n- one\n- two')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Image', exact: true }).click()
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Choose files' }).click(),
    ])
    await chooser.setFiles({
      name: 'sea.png',
      mimeType: 'image/png',
      buffer: png(40, 20, [10, 90, 160]),
    })
    await page.getByRole('dialog').getByRole('button', { name: 'Insert' }).click()
    await expect.poll(() => text.inputValue()).toContain('/media/md-editor/tmp/')
    await page.getByRole('tab', { name: 'Split' }).click()
    await page.locator('.md-editor-preview img').waitFor()
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.waitForURL(/\/posts\/(?!new)[^/]+$/)
    const content = page.locator('.md-content')
    expect(await content.locator('strong').textContent()).toBe('strong')
    expect(await content.locator('li').allTextContents()).toEqual(['one', 'two'])
    expect(await content.locator('img').getAttribute('src')).toContain('/media/md-editor/uploads/')
    expect(faults).toEqual([])
  })

  it('does not darken the page behind its menu', async () => {
    const { page } = await open()
    await page.goto('/posts/new')
    await page.getByRole('button', { name: 'Heading' }).click()
    const backdrop = (menu: Element): string => getComputedStyle(menu, '::backdrop').backgroundColor
    expect(await page.getByRole('menu').evaluate(backdrop)).toBe('rgba(0, 0, 0, 0)')
  })

  it('completes the users of the demo', async () => {
    const { page, faults } = await open()
    await page.goto('/posts/new')
    const text = page.getByRole('textbox', { name: 'Text' })
    await text.focus()
    await page.keyboard.type('Thanks, @gr')
    await page.getByRole('option', { name: 'grace' }).waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => text.inputValue()).toBe('Thanks, @grace ')
    expect(faults).toEqual([])
  })

  /** Returns the violations that axe finds, and whether the page scrolls horizontally. */
  async function faultsOf(page: Page): Promise<unknown> {
    await page.evaluate(axe)
    const { violations } = (await page.evaluate('axe.run(document, { iframes: false })')) as {
      violations: { id: string; nodes: { html: string }[] }[]
    }
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
    const sideways = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
    return { found, sideways }
  }

  const good = { found: [], sideways: false }

  describe.each([
    ['light', 1280],
    ['light', 360],
    ['dark', 1280],
    ['dark', 360],
  ] as const)('%s at %i pixels', (colorScheme, width) => {
    const openExample = async (): Promise<{ page: Page; faults: string[] }> => {
      const viewport = { width, height: 800 }
      const opened = await open({ colorScheme, reducedMotion: 'reduce', viewport })
      await opened.page.goto('/posts/new?example')
      await opened.page.getByRole('button', { name: 'Bold', exact: true }).waitFor()
      return opened
    }

    it('passes axe in every mode', async () => {
      const { page, faults } = await openExample()
      expect(await faultsOf(page)).toEqual(good)
      for (const mode of width < 640 ? ['Preview', 'Write'] : ['Split', 'Preview', 'Write']) {
        await page.getByRole('tab', { name: mode }).click()
        if (mode !== 'Write')
          await page.locator('.md-editor-preview .footnotes').waitFor({ state: 'attached' })
        expect({ mode, ...((await faultsOf(page)) as object) }).toEqual({ mode, ...good })
      }
      await page.getByRole('button', { name: 'Full screen' }).click()
      expect(await faultsOf(page)).toEqual(good)
      await page.keyboard.press('Escape')
      expect(faults).toEqual([])
    }, 60_000)

    it.each(['Link', 'Image', 'Table', 'Embed', 'Help'])(
      'passes axe in the dialog %s',
      async (name) => {
        const { page, faults } = await openExample()
        await page.getByRole('textbox', { name: 'Text' }).focus()
        const button = page.getByRole('button', { name, exact: true })
        if (!(await button.isVisible())) await page.getByRole('button', { name: 'More' }).click()
        await button.click()
        await page.getByRole('dialog').waitFor()
        expect(await faultsOf(page)).toEqual(good)
        await page.keyboard.press('Escape')
        await page.getByRole('dialog').waitFor({ state: 'hidden' })
        expect(faults).toEqual([])
      },
    )
  })

  it('shows its guide with live editors', async () => {
    const { page, faults } = await open()
    await page.goto('/docs/markdown-editor-live.md')
    const fields = await page.locator('.live markdown-editor').count()
    await expect.poll(() => page.locator('.live .md-editor-toolbar').count()).toBe(fields)
    expect(fields).toBeGreaterThan(8)
    await page.locator('.live [locale="de"]').getByRole('tab', { name: 'Schreiben' }).waitFor()
    await page.locator('.live .md-editor-surface').first().waitFor()
    expect(faults).toEqual([])
  })
})
