import type { Page, Worker } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { OpenPage } from '../support/open-page.ts'
import { openPreview, previewPane, writeHidden } from '../support/preview.ts'
import { STRICT_CSP } from '../support/test-server.ts'
import { useTestSite } from '../support/test-site.ts'

async function reloadUnder(page: Page, csp: string): Promise<void> {
  await page.route('**/*', async (route) => {
    const response = await route.fetch()
    await route.fulfill({
      response,
      headers: { ...response.headers(), 'content-security-policy': csp },
    })
  })
  await page.reload()
}

describe('the preview of <markdown-editor>', () => {
  const site = useTestSite()

  describe('in a Worker', () => {
    it('renders there under a strict policy', async () => {
      const opened = await site.open({ fields: { body: '**bold**' } })
      expect(opened.page.workers()).toEqual([])
      await openPreview(opened)
      await previewPane(opened).locator('strong', { hasText: 'bold' }).waitFor()
      expect(opened.page.workers().map((worker) => new URL(worker.url()).pathname)).toEqual([
        '/assets/preview.worker.js',
      ])
    })

    it.each([
      ['worker-src names it', "; worker-src 'self'"],
      ['there are no Trusted Types', '', STRICT_CSP.replace(/; require-trusted.*/, '')],
    ])('works when %s', async (_when, more, csp = STRICT_CSP) => {
      const opened = await site.open({ fields: { body: '**bold**' } }, {})
      await reloadUnder(opened.page, csp + more)
      await openPreview(opened)
      await previewPane(opened).locator('strong').waitFor()
      expect(opened.page.workers()).toHaveLength(1)
    })

    it('has one for each editor, which ends with the editor', async () => {
      const opened = await site.open({ fields: { first: '*one*', second: '*two*' } })
      await openPreview(opened, 0)
      await previewPane(opened, 0).locator('em', { hasText: 'one' }).waitFor()
      expect(opened.page.workers()).toHaveLength(1)
      await openPreview(opened, 1)
      await previewPane(opened, 1).locator('em', { hasText: 'two' }).waitFor()
      expect(opened.page.workers()).toHaveLength(2)
      const removeFirst = (): Promise<void> =>
        opened.page
          .locator('markdown-editor')
          .first()
          .evaluate((e) => e.remove())
      await removeFirst()
      await writeHidden(opened, '*still there*')
      await previewPane(opened).locator('em', { hasText: 'still there' }).waitFor()
      await expect.poll(() => opened.page.workers().length).toBe(1)
      await removeFirst()
      await expect.poll(() => opened.page.workers().length).toBe(0)
    })

    // The timeout is high, because the test adds and removes a hundred editors.
    it('leaves none running when many editors are added and removed, even while they render', {
      timeout: 60_000,
    }, async () => {
      const opened = await site.open()
      const started: Worker[] = []
      opened.page.on('worker', (worker) => started.push(worker))
      await opened.page.evaluate(async () => {
        for (let index = 0; index < 100; index++) {
          const editor = document.createElement('markdown-editor')
          const field = document.createElement('textarea')
          field.value = `*text ${index}*`
          editor.append(field)
          document.forms[0]?.append(editor)
          editor.querySelector<HTMLElement>('[role="tab"][aria-selected="false"]')?.click()
          if (index % 20 > 0) await new Promise((resolve) => setTimeout(resolve, index % 5))
          else
            while (!editor.querySelector('em'))
              await new Promise((resolve) => setTimeout(resolve, 5))
          editor.remove()
        }
      })
      await expect.poll(() => opened.page.workers().length).toBe(0)
      expect(started.length).toBeGreaterThanOrEqual(5)
    })

    it('shows the newest text, whatever is typed during rendering', async () => {
      const opened = await site.open({ fields: { body: 'first' } })
      await openPreview(opened)
      await opened.page.locator('textarea').evaluate((field: HTMLTextAreaElement) => {
        for (let index = 0; index <= 200; index++) {
          field.value = `text ${index}\n`.repeat(50)
          field.dispatchEvent(new Event('input', { bubbles: true }))
        }
      })
      await previewPane(opened).getByText('text 200').waitFor()
      await expect.poll(() => previewPane(opened).textContent()).toBe('text 200\n'.repeat(50))
    })
  })

  it('highlights code in the configured languages, and loads no others', async () => {
    const body = '```css\na { b: c }\n```\n\n```python\nif a: b()\n```'
    const opened = await site.open({ fields: { body } }, {})
    const requested: string[] = []
    await opened.page.context().route('**/*.js', (route) => {
      const name = route.request().url().replace(/.*\//, '')
      const isFirst = name === 'load-highlighter.js' && !requested.includes(name)
      requested.push(name)
      return isFirst ? route.abort() : route.continue()
    })
    await opened.page
      .locator('markdown-editor')
      .evaluate((editor) => editor.setAttribute('highlight-languages', 'css'))
    await openPreview(opened)
    await opened.page.getByRole('alert').getByText('The preview could not be shown.').waitFor()
    await opened.button('Try again').click()
    await previewPane(opened).locator('code.language-css .hljs-selector-tag').first().waitFor()
    expect(await previewPane(opened).locator('code.language-python').textContent()).toBe(
      'if a: b()\n',
    )
    expect(requested.filter((name) => name === 'load-highlighter.js')).toHaveLength(2)
    expect(requested.filter((name) => /css|python/.test(name))).toEqual([
      expect.stringMatching(/^css-/),
    ])
  })

  it('scrolls links within a text to their target in the same preview', async () => {
    const body = `Text[^1].\n\n${'Long.\n\n'.repeat(80)}[^1]: The note.`
    const opened = await site.open({ fields: { first: body, second: body } })
    await openPreview(opened, 0)
    await openPreview(opened, 1)
    const panes = [previewPane(opened, 0), previewPane(opened, 1)] as const
    for (const pane of panes) await pane.getByText('The note.').waitFor()
    const shown = await panes[1].evaluate((element) => element.innerHTML)
    const note = panes[1].locator('li', { hasText: 'The note.' })
    await panes[1].locator('a[href^="#"]').first().click()
    expect(
      await note.evaluate((element) => Math.abs(element.getBoundingClientRect().top) < innerHeight),
    ).toBe(true)
    expect(await panes[0].evaluate((element) => element.contains(document.activeElement))).toBe(
      false,
    )
    await opened.page.keyboard.press('Tab')
    expect(await note.evaluate((element) => element.contains(document.activeElement))).toBe(true)
    expect(new URL(opened.page.url()).hash).toBe('')
    expect(await panes[1].evaluate((element) => element.innerHTML)).toBe(shown)
  })

  describe('without a Worker', () => {
    it.each([
      [
        'the policy forbids it',
        async ({ page }: OpenPage) => reloadUnder(page, `${STRICT_CSP}; worker-src 'none'`),
      ],
      [
        'the browser has no Workers',
        async ({ page }: OpenPage) => {
          await page.addInitScript(() => {
            Reflect.deleteProperty(globalThis, 'Worker')
          })
          await page.reload()
        },
      ],
    ])('renders on the page: %s', async (_why, prepare) => {
      const opened = await site.open({ fields: { first: '**bold**', second: '*x*' } }, {})
      await prepare(opened)
      await openPreview(opened, 0)
      await openPreview(opened, 1)
      await previewPane(opened, 0).locator('strong', { hasText: 'bold' }).waitFor()
      await previewPane(opened, 1).locator('em', { hasText: 'x' }).waitFor()
      await writeHidden(opened, '~~changed~~')
      await previewPane(opened).locator('del').waitFor()
      expect(opened.page.workers()).toEqual([])
      opened.faults.length = 0 // The browser reports that the Worker did not start.
    })

    it('renders on the page if the client is loaded from another origin', async () => {
      const opened = await site.open({ fields: { body: '**bold**' } }, {})
      const cdn = 'http://cdn.example'
      await opened.page.route(`${cdn}/**`, async (route) => {
        const response = await route.fetch({
          url: route.request().url().replace(cdn, site.server.url),
        })
        await route.fulfill({
          response,
          headers: { ...response.headers(), 'access-control-allow-origin': '*' },
        })
      })
      const page = site.server.pages.get('/form') ?? ''
      site.server.pages.set('/cdn', page.replaceAll('"/assets/', `"${cdn}/assets/`))
      await opened.page.route('**/cdn', async (route) => {
        const response = await route.fetch()
        const csp = STRICT_CSP.replaceAll("'self'", `'self' ${cdn}`)
        await route.fulfill({
          response,
          headers: { ...response.headers(), 'content-security-policy': csp },
        })
      })
      await opened.page.goto(`${site.server.url}/cdn`)
      await openPreview(opened)
      await previewPane(opened).locator('strong').waitFor()
      expect(opened.page.workers()).toEqual([])
    })

    it('reports that the browser is offline, and continues when it is online', async () => {
      const opened = await site.open({ fields: { body: '**bold**' } }, {})
      await opened.page.context().setOffline(true)
      await openPreview(opened)
      await opened.page
        .getByRole('alert')
        .getByText('A part of this page could not be loaded')
        .waitFor()
      await opened.page.context().setOffline(false)
      await opened.button('Try again').click()
      await previewPane(opened).locator('strong').waitFor()
    })

    it('reports that only the Worker cannot be loaded, and retries', async () => {
      const opened = await site.open({ fields: { body: '**bold**' } }, {})
      await opened.page.route('**/preview.worker.js', (route) => route.abort())
      await openPreview(opened)
      await opened.page
        .getByRole('alert')
        .getByText('A part of this page could not be loaded')
        .waitFor()
      await opened.page.unroute('**/preview.worker.js')
      await opened.button('Try again').click()
      await previewPane(opened).locator('strong').waitFor()
    })
  })
})
