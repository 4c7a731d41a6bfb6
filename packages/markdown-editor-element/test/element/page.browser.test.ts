import { describe, expect, it } from 'vitest'
import { DefaultRenderer } from '../../../markdown/src/index.ts'
import { useTestSite } from '../support/test-site.ts'

describe('<markdown-editor> on a page', () => {
  const site = useTestSite()

  it('is a plain field that works without JavaScript', async () => {
    const { page, text, button } = await site.open(
      { fields: { body: '\nkept' } },
      { javaScriptEnabled: false },
    )
    expect(await page.getByRole('toolbar').count()).toBe(0)
    expect(await text.isVisible()).toBe(true)
    await page.getByLabel('body').fill('written by hand')
    await button('Publish').click()
    await page.waitForURL('**/save')
    expect(site.server.saved[0]?.get('body')).toBe('written by hand')
  })

  it('keeps a line feed at the start of the text', async () => {
    const { text } = await site.open({ fields: { body: '\n\nx' } })
    expect(await text.inputValue()).toBe('\n\nx')
  })

  it('has the configured height without an inline style in the page', async () => {
    const { page, text } = await site.open({ widget: { height: '432px' } })
    expect((await text.boundingBox())?.height).toBe(432)
    expect(site.server.pages.get('/form')).not.toContain('style=')
    await page
      .locator('markdown-editor')
      .evaluate((element) => element.setAttribute('height', '200px'))
    expect((await text.boundingBox())?.height).toBe(200)
  })

  it.each([
    ['light', 'dark', 'rgb(255, 255, 255)'],
    ['dark', 'light', 'rgb(22, 24, 29)'],
    ['auto', 'dark', 'rgb(22, 24, 29)'],
    ['auto', 'light', 'rgb(255, 255, 255)'],
  ] as const)('has the theme %s on a %s system', async (theme, colorScheme, background) => {
    const { page } = await site.open({}, { colorScheme })
    const editor = page.locator('markdown-editor')
    await editor.evaluate((element, value) => element.setAttribute('theme', value), theme)
    expect(await editor.evaluate((element) => getComputedStyle(element).backgroundColor)).toBe(
      background,
    )
  })

  it('keeps its height in the preview, even after the user has changed it', async () => {
    const { page, text } = await site.open({ fields: { body: 'short' } })
    await text.evaluate((element) => element.style.setProperty('height', '420px'))
    const height = (): Promise<number> =>
      page.locator('markdown-editor').evaluate((element) => element.clientHeight)
    const before = await height()
    await page.getByRole('tab', { name: 'Preview' }).click()
    await page.locator('.md-editor-preview p').waitFor()
    expect(await height()).toBe(before)
    expect(await page.getByRole('toolbar').count()).toBe(0)
  })

  it('has large targets and letters on a touch screen', async () => {
    const { text, button } = await site.open(
      {},
      { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true },
    )
    const size = await text.evaluate((element) =>
      Number.parseFloat(getComputedStyle(element).fontSize),
    )
    expect(size).toBeGreaterThanOrEqual(16)
    const box = await button('Bold').boundingBox()
    expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(36)
  })

  it('ignores the styles that the page has for buttons', async () => {
    const { page, button } = await site.open()
    const before = await button('Bold').boundingBox()
    await page.evaluate(() => {
      const sheet = new CSSStyleSheet()
      sheet.replaceSync(
        'button { min-height: 90px; width: 100%; margin: 2em; line-height: 4; text-transform: uppercase }',
      )
      document.adoptedStyleSheets = [sheet]
    })
    expect(await button('Bold').boundingBox()).toEqual(before)
  })

  it('keeps the bullets of plain items beside tasks, and fits frames to the width', async () => {
    const { page } = await site.open({ fields: { body: '- [ ] task\n- plain' } })
    await page.getByRole('tab', { name: 'Preview' }).click()
    const style = (item: string): Promise<string> =>
      page
        .getByText(item, { exact: true })
        .evaluate((element) => getComputedStyle(element).listStyleType)
    // With `none`, Safari would not tell screen readers that this is a list.
    expect(await style('task')).toBe('""')
    expect(await style('plain')).toBe('disc')
    await page.locator('.md-editor-preview').evaluate((element) => {
      element.append(Object.assign(document.createElement('iframe'), { height: '400' }))
    })
    const box = await page.locator('iframe').boundingBox()
    expect((box?.width ?? 0) / (box?.height ?? 1)).toBeCloseTo(16 / 9, 1)
  })

  it('never makes a page of 320 px scroll horizontally', async () => {
    const { page } = await site.open({}, { viewport: { width: 320, height: 640 } })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
  })

  it('previews the text with the renderer of the page', async () => {
    const body =
      '# Hi\n\n<img src=x onerror=alert(1)>[x](javascript:alert(1))\n\n| a |\n|:-:|\n| b |\n\n- [x] done\n\n==m== ^s^ ~~d~~'
    const { page, text } = await site.open({ fields: { body } })
    await page.getByRole('tab', { name: 'Preview' }).click()
    const panel = page.getByRole('tabpanel', { name: 'Preview' })
    await panel.getByRole('heading', { name: 'Hi' }).waitFor()
    const expected = await page.evaluate((html) => {
      const inert = (
        document as unknown as { implementation: DOMImplementation }
      ).implementation.createHTMLDocument()
      const policy = (
        globalThis as unknown as Record<symbol, { createHTML(text: string): string }>
      )[Symbol.for('quillgate.trusted-types')]
      inert.body.innerHTML = policy?.createHTML(html) ?? html
      return inert.body.innerHTML
    }, new DefaultRenderer().render(body))
    expect(await panel.evaluate((element) => element.innerHTML.trim())).toBe(expected)
    expect(await text.isVisible()).toBe(false)
    expect(await page.getByRole('toolbar').count()).toBe(0)

    await page.keyboard.press('Home')
    expect(await text.isVisible()).toBe(true)
    expect(await page.getByRole('tab', { name: 'Write' }).getAttribute('aria-selected')).toBe(
      'true',
    )
  })

  it('renders the current text each time, and opens links in a new tab', async () => {
    const { page, text } = await site.open()
    const preview = page.getByRole('tab', { name: 'Preview' })
    await preview.click()
    await page.getByText('Nothing to preview').waitFor()
    await page.getByRole('tab', { name: 'Write' }).click()
    await text.fill('[there](https://example.org)')
    await preview.click()
    const link = page.getByRole('link', { name: 'there' })
    expect(await link.getAttribute('target')).toBe('_blank')
    expect(await link.getAttribute('rel')).toContain('noopener')
  })

  it('reports that the preview cannot be loaded, and retries', async () => {
    const { page } = await site.open({ fields: { body: '*x*' } })
    await page.route('**/preview-*.js', (route) => route.abort(), { times: 1 })
    await page.getByRole('tab', { name: 'Preview' }).click()
    await page.getByRole('alert').getByText('The preview could not be shown.').waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.locator('em', { hasText: 'x' }).waitFor()
  })

  it('loads the preview only when it is opened', async () => {
    const { page } = await site.open()
    const loaded = (): Promise<string[]> =>
      page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name))
    expect((await loaded()).filter((name) => name.includes('preview'))).toEqual([])
    await page.getByRole('tab', { name: 'Preview' }).click()
    await page.getByText('Nothing to preview').waitFor()
    const parts = (await loaded())
      .filter((name) => name.includes('preview'))
      .map((name) => name.replace(/.*\//, ''))
    expect(parts.sort()).toEqual([
      expect.stringMatching(/^preview-pane-\w+\.js$/),
      'preview.css',
      'preview.worker.js',
    ])
  })

  it('works beside other editors: each has its own ids, buttons and text', async () => {
    const { page } = await site.open({ fields: { first: 'one', second: 'two' } })
    const ids = await page.locator('[id]').evaluateAll((all) => all.map(({ id }) => id))
    expect(new Set(ids).size).toBe(ids.length)
    await page.locator('#id_second').selectText()
    await page.locator('markdown-editor').nth(1).getByRole('button', { name: 'Bold' }).click()
    expect(await page.locator('#id_first').inputValue()).toBe('one')
    expect(await page.locator('#id_second').inputValue()).toBe('**two**')
  })

  it('can be added, moved and removed', async () => {
    const { page, text } = await site.open({ fields: { body: 'kept' } })
    await page.evaluate(() => {
      const editor = document.querySelector('markdown-editor')
      const copy = editor?.cloneNode(true)
      if (editor && copy) {
        document.body.append(editor)
        document.forms[0]?.append(copy, editor)
      }
      const added = document.createElement('markdown-editor')
      document.forms[0]?.append(added)
      added.append(document.createElement('textarea'))
    })
    await expect.poll(() => page.getByRole('toolbar').count()).toBe(3)
    expect(await page.getByRole('tablist').count()).toBe(3)
    expect(await text.inputValue()).toBe('kept')
    await page.evaluate(() => {
      for (const editor of document.querySelectorAll('markdown-editor')) {
        const textarea = editor.querySelector('textarea')
        editor.remove()
        if (textarea) document.forms[0]?.append(textarea)
        editor.toggleAttribute('data-gone', editor.childElementCount === 0)
      }
    })
    expect(await page.locator('textarea').count()).toBe(3)
    expect(await page.getByRole('toolbar').count()).toBe(0)
  })

  it('has accessible names and descriptions for all parts', async () => {
    const { page } = await site.open({
      widget: { toolbar: ['bold', 'separator', 'link'], placeholder: '' },
    })
    expect(await page.locator('markdown-editor').ariaSnapshot()).toBe(
      [
        '- tablist "Mode":',
        '  - tab "Write" [selected]',
        '  - tab "Split"',
        '  - tab "Preview"',
        '- toolbar "Formatting":',
        '  - button "Bold"',
        '  - button "Link"',
        '- button "Help"',
        '- button "Full screen"',
        '- textbox "body":',
        '  - /placeholder: ""',
        '- button "Paste, drop, or click to add files"',
        '- status',
      ].join('\n'),
    )
  })
})
