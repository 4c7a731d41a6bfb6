import type { Worker } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { OpenPage } from '../support/open-page.ts'
import { openPreview, previewPane, useOwnWorker, writeHidden } from '../support/preview.ts'
import { useTestSite } from '../support/test-site.ts'

describe('the preview of <markdown-editor> with a Worker of the application', () => {
  const site = useTestSite()
  const open = async (code: string, fields: Record<string, string>): Promise<OpenPage> => {
    const opened = await site.open({ fields }, {})
    await useOwnWorker(opened.page, code)
    return opened
  }

  it('shows the HTML of its renderer', async () => {
    const code =
      'export default servePreview(() => ({ render: (text) => "<h1>" + text.length + "</h1>" }))'
    const opened = await open(code, { body: 'four' })
    await openPreview(opened)
    await previewPane(opened).getByRole('heading', { name: '4' }).waitFor()
    await writeHidden(opened, 'longer')
    await previewPane(opened).getByRole('heading', { name: '6' }).waitFor()
    expect(await previewPane(opened).locator('h1').count()).toBe(1)
  })

  it('renders with a function of the application', async () => {
    const code = `
      import MarkdownIt from 'markdown-it'
      import { IncrementalRenderer, loadHighlighter } from '@quillgate/markdown/browser'
      const onMedium = () => ({ width: 5 })
      export default servePreview(async ({ highlightLanguages, ...options }) => {
        const highlight = await loadHighlighter(highlightLanguages)
        return new IncrementalRenderer({ ...options, markdownIt: MarkdownIt, onMedium, highlight })
      })`
    const opened = await open(code, { body: '**bold** ![a](/a.png)' })
    await openPreview(opened)
    await previewPane(opened).locator('strong').waitFor()
    await previewPane(opened).locator('img[width="5"]').waitFor()
  })

  it('shows the message of an error, and continues with the next text', async () => {
    const code = `export default servePreview(() => ({
      render(text) { if (text === 'bad') throw new Error('It is bad.'); return '<p>fine</p>' }
    }))`
    const opened = await open(code, { body: 'good' })
    await openPreview(opened)
    await previewPane(opened).getByText('fine').waitFor()
    await writeHidden(opened, 'bad')
    await opened.page
      .getByRole('alert')
      .getByText('The preview could not be shown. It is bad.')
      .waitFor()
    await writeHidden(opened, 'good')
    await previewPane(opened).getByText('fine').waitFor()
  })

  it('reports that its settings are not supported', async () => {
    const opened = await open(
      "export default servePreview(async () => { throw new Error('No such language.') })",
      {
        body: 'x',
      },
    )
    await openPreview(opened)
    await opened.page.getByRole('alert').getByText('No such language.').waitFor()
  })

  it('imports the Worker script on the page if there are no Workers', async () => {
    const code =
      "export default servePreview(() => ({ render: () => '<p>' + ('document' in globalThis) + '</p>' }))"
    const opened = await open(code, { body: 'x' })
    await opened.page.evaluate(() => Reflect.deleteProperty(globalThis, 'Worker'))
    await openPreview(opened)
    await previewPane(opened).getByText('true').waitFor()
  })

  it('reports why the script cannot be imported on the page', async () => {
    const opened = await open("servePreview(() => ({ render: () => '' }))", { body: 'x' })
    await opened.page.evaluate(() => Reflect.deleteProperty(globalThis, 'Worker'))
    await openPreview(opened)
    await opened.page
      .getByRole('alert')
      .getByText('The script of the preview has no default export.')
      .waitFor()
  })

  it('stops a Worker that never answers', async () => {
    const opened = await open('export {}', { body: 'x' })
    await opened.page.clock.install()
    await openPreview(opened)
    await previewPane(opened).getByText('Loading the preview').waitFor()
    await expect.poll(() => opened.page.workers().length).toBe(1)
    await opened.page.clock.fastForward(60_000)
    await opened.page
      .getByRole('alert')
      .getByText('The rendering took too long and was stopped.')
      .waitFor()
    await expect.poll(() => opened.page.workers().length).toBe(0)
  })

  it('stops the Worker with its editor, even if it is busy', async () => {
    const code = 'export default servePreview(() => ({ render() { for (;;) { /* for ever */ } } }))'
    const opened = await open(code, { body: 'x' })
    await openPreview(opened)
    await expect.poll(() => opened.page.workers().length).toBe(1)
    await opened.page.locator('markdown-editor').evaluate((editor) => editor.remove())
    // Chromium waits two seconds before it stops a busy Worker.
    await expect.poll(() => opened.page.workers().length, { timeout: 5_000 }).toBe(0)
  })

  it('rejects a Worker of another origin', async () => {
    const opened = await site.open({ fields: { body: 'x' } }, {})
    const requests: string[] = []
    await opened.page.route('http://evil.example/**', (route) => {
      requests.push(route.request().url())
      return route.fulfill({ contentType: 'text/javascript', body: 'document.title = "gone"' })
    })
    await opened.page
      .locator('markdown-editor')
      .evaluate((editor) =>
        editor.setAttribute('preview-worker', 'http://evil.example/own.worker.js'),
      )
    await openPreview(opened)
    await opened.page
      .getByRole('alert')
      .getByText('own.worker.js is not from this origin.')
      .waitFor()
    expect(requests).toEqual([])
  })

  it('stops a Worker whose text takes too long, without effect on other editors', async () => {
    const code = `export default servePreview(() => ({
      render(text) { while (text === 'hang') { /* for ever */ } return '<p>' + text + '</p>' }
    }))`
    const opened = await open(code, { first: 'one', second: 'two' })
    await opened.page.clock.install()
    await openPreview(opened, 0)
    await openPreview(opened, 1)
    await previewPane(opened, 0).getByText('one').waitFor()
    await previewPane(opened, 1).getByText('two').waitFor()
    const [worker] = opened.page.workers() as [Worker]
    const closed = new Promise((resolve) => worker.once('close', resolve))
    await writeHidden(opened, 'hang', 0)
    await opened.page.clock.fastForward(30_000)
    await writeHidden(opened, 'three', 1)
    await opened.page.clock.fastForward(30_000)
    await closed
    await opened.page
      .getByRole('alert')
      .getByText('The rendering took too long and was stopped.')
      .waitFor()
    await previewPane(opened, 1).getByText('three').waitFor()
    await writeHidden(opened, 'quick', 0)
    await previewPane(opened, 0).getByText('quick').waitFor()
    expect(opened.page.workers()).toHaveLength(2)
  })
})
