import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Page } from 'playwright-core'
import { createElement, Suspense } from 'react'
import { renderToString } from 'react-dom/server'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { MarkdownEditorElement } from '../../src/element/index.ts'
import { MarkdownEditor } from '../../src/react/index.ts'
import { keptDrafts, ready } from '../drafts/draft-page.ts'
import { useTestSite } from '../support/test-site.ts'

declare const app: {
  calls: string[]
  events: string[]
  hydrateLate(): void
  setText(text: string): void
  toggle(): void
  open(draft: string, text: string): void
  early: Promise<boolean>
  element(): MarkdownEditorElement | null
}

const page = (
  root = '',
  rest = '',
): string => `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>React</title>
<link rel="icon" href="/media/icon.png"><link rel="stylesheet" href="/assets/client.css"></head>
<body><div id="root">${root}</div>${rest}<script type="module" src="/react/app.js"></script></body></html>`

describe('the React component', () => {
  const site = useTestSite()
  let folder: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quillgate-react-'))
    // The Worker is a separate file, as bundlers create it from `new Worker(new URL(…))`.
    const worker = join(import.meta.dirname, '../../src/preview/preview.worker.ts')
    const bundle = await rolldown({
      input: { app: join(import.meta.dirname, 'app.ts'), 'preview.worker': worker },
      platform: 'browser',
      resolve: { conditionNames: ['@quillgate/source', 'browser', 'import', 'default'] },
      transform: { define: { 'process.env.NODE_ENV': '"development"' } },
      logLevel: 'silent',
    })
    await bundle.write({
      dir: folder,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
      hashCharacters: 'base36',
    })
    await bundle.close()
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const open = async (
    root?: string,
    before: (page: Page) => Promise<void> = isThere,
    rest?: string,
  ): Promise<Page> => {
    site.server.pages.set('/form', page(root, rest))
    const opened = await site.context.newPage()
    opened.on('pageerror', (error) => faults.push(String(error)))
    opened.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
    await opened.route('**/react/*', async (route) => {
      const name = basename(new URL(route.request().url()).pathname)
      const body = await readFile(join(folder, name), 'utf8')
      await route.fulfill({ contentType: 'text/javascript', body })
    })
    await opened.goto(`${site.server.url}/form`)
    await opened.locator('#controlled').waitFor()
    await before(opened)
    return opened
  }
  const isThere = (opened: Page): Promise<void> =>
    opened.locator('.mine .md-editor-toolbar').waitFor()
  const faults: string[] = []
  const done = async (opened: Page): Promise<void> => {
    await opened.close()
    expect(faults.splice(0)).toEqual([])
  }

  it('renders the field on a server, without browser-only parts', () => {
    const html = renderToString(
      createElement(MarkdownEditor, {
        name: 'body',
        defaultValue: '<b> & co',
        toolbar: ['bold'],
        height: 200,
        rows: 4,
      }),
    )
    expect(html).toBe(
      '<markdown-editor toolbar="bold" height="200px" class="md-editor" defer="">' +
        '<textarea name="body" rows="4" class="md-editor-textarea">&lt;b&gt; &amp; co</textarea></markdown-editor>',
    )
  })

  it('calls onChange for input by keys and by buttons', async () => {
    const opened = await open()
    const text = opened.locator('#controlled')
    await text.focus()
    await opened.keyboard.press('Control+End')
    await opened.keyboard.type('!')
    await expect.poll(() => opened.evaluate(() => app.calls.at(-1))).toBe('one two!')
    await text.evaluate((element: HTMLTextAreaElement) => element.setSelectionRange(0, 3))
    await opened.locator('.mine').getByRole('button', { name: 'Bold' }).click()
    await expect.poll(() => opened.evaluate(() => app.calls.at(-1))).toBe('**one** two!')
    expect(await opened.locator('#upper').inputValue()).toBe('**ONE** TWO!')
    await opened.keyboard.press('Control+z')
    expect(await text.inputValue()).toBe('one two!')
    await done(opened)
  })

  it('shows completions of the application', async () => {
    const opened = await open()
    const text = opened.locator('#free')
    await text.focus()
    await opened.keyboard.press('Control+End')
    await opened.keyboard.type(' @a')
    await opened.getByRole('option', { name: 'ada' }).click()
    expect(await text.inputValue()).toBe('free text @ada ')
    await done(opened)
  })

  it('shows the text that the application sets, even in the preview', async () => {
    const opened = await open()
    await opened.locator('.mine').getByRole('tab', { name: 'Preview' }).click()
    await opened.evaluate(() => app.setText('# Set'))
    await opened.locator('.mine').getByRole('heading', { name: 'Set' }).waitFor()
    expect(await opened.evaluate(() => app.element()?.value)).toBe('# Set')
    await done(opened)
  })

  it('keeps an uncontrolled field, and updates a controlled one', async () => {
    const opened = await open()
    await opened.locator('#free').fill('mine')
    await opened.locator('#upper').focus()
    await opened.keyboard.type('no')
    await opened.evaluate(() => app.setText('other'))
    await expect.poll(() => opened.locator('#upper').inputValue()).toBe('OTHER')
    expect(await opened.locator('#free').inputValue()).toBe('mine')
    await done(opened)
  })

  it('works again after it was unmounted, and reports requests', async () => {
    const opened = await open()
    await opened.evaluate(() => app.toggle())
    await opened.locator('#controlled').waitFor({ state: 'detached' })
    await opened.evaluate(() => app.toggle())
    await opened.locator('.mine .md-editor-toolbar').waitFor()
    await expect
      .poll(() => opened.evaluate(() => app.events))
      .toEqual(['ready one two', 'ready one two'])
    await opened.evaluate(() =>
      app.element()?.addFiles([new File(['x'], 'a.png', { type: 'image/png' })]),
    )
    await expect
      .poll(() => opened.locator('#controlled').inputValue())
      .toContain('/media/md-editor/tmp/')
    expect(site.server.posted.at(-1)?.headers['x-from']).toBe('react')
    await expect
      .poll(() => opened.evaluate(() => app.events.slice(2)))
      .toEqual(['start a.png', 'success image/png'])
    await done(opened)
  })

  it('reports uploads that fail or are cancelled', async () => {
    const opened = await open()
    const upload = (): Promise<void> =>
      opened.evaluate(async () => {
        app.events.length = 0
        await app.element()?.addFiles([new File(['x'], 'a.png', { type: 'image/png' })])
      })
    site.server.onUpload = () => ({ status: 413, body: '' })
    await upload()
    await expect
      .poll(() => opened.evaluate(() => app.events))
      .toEqual(['start a.png', 'error The data is too large for the server.'])
    site.server.onUpload = () => new Promise(() => {})
    await upload()
    await opened.getByRole('button', { name: 'Cancel' }).click()
    await expect
      .poll(() => opened.evaluate(() => app.events))
      .toEqual(['start a.png', 'abort a.png'])
    faults.splice(0) // The browser logs the 413.
    await done(opened)
  })

  it('accepts calls from the first effect of the application', async () => {
    const opened = await open()
    expect(await opened.evaluate(() => app.early)).toBe(true)
    await done(opened)
  })

  it.each(['native', 'codemirror'])(
    'keeps the drafts of each record when another record is shown (%s)',
    async (surface) => {
      const opened = await open()
      const element = opened.locator('.mine')
      if (surface === 'codemirror') {
        await element.evaluate((host) => host.setAttribute('surface', 'codemirror'))
        await element.locator('.cm-content').waitFor()
      }
      const write = async (text: string): Promise<void> => {
        await opened.locator('#controlled').focus()
        await opened.keyboard.press('Control+End')
        await opened.keyboard.type(text)
      }
      const key = `post/${surface}`
      await opened.evaluate((name) => app.open(`${name}/17`, 'text of 17'), key)
      await ready(opened)
      await write('!')
      await element.getByText(/^Draft saved/).waitFor()
      await write('!')
      await opened.evaluate((name) => app.open(`${name}/18`, 'text of 18'), key)
      await expect.poll(() => opened.evaluate(() => app.element()?.value)).toBe('text of 18')
      await write('?')
      await element.getByText(/^Draft saved/).waitFor()
      await expect
        .poll(() => keptDrafts(opened, key))
        .toEqual([
          { key: `${key}/17`, text: 'text of 17!!', base: 'text of 17' },
          { key: `${key}/18`, text: 'text of 18?', base: 'text of 18' },
        ])
      await done(opened)
    },
    60_000,
  )

  it('hydrates the HTML of the server', async () => {
    const server = `<form id="form">${renderToString(
      createElement(MarkdownEditor, {
        id: 'controlled',
        name: 'controlled',
        value: 'one two',
        toolbar: ['bold', 'separator', 'italic'],
        uploadUrl: '/md-editor/upload',
        className: 'mine',
        onChange: () => {},
      }),
    )}${renderToString(createElement(MarkdownEditor, { id: 'upper', value: 'ONE TWO', onChange: () => {} }))}${renderToString(
      createElement(MarkdownEditor, {
        id: 'free',
        name: 'free',
        defaultValue: 'free text',
        surface: 'native',
      }),
    )}</form>`
    const opened = await open(server)
    expect(await opened.evaluate(() => app.calls)).toEqual([])
    await opened.locator('#controlled').focus()
    await opened.keyboard.press('Control+End')
    await opened.keyboard.type('!')
    await expect.poll(() => opened.evaluate(() => app.calls.at(-1))).toBe('one two!')
    await done(opened)
  })

  it('hydrates a part of the page later, after the element is defined, and keeps the focus there', async () => {
    const field = createElement(MarkdownEditor, { id: 'late', defaultValue: 'late', mode: 'split' })
    const late = `<div id="late-root">${renderToString(createElement(Suspense, null, field))}</div>`
    const opened = await open(undefined, isThere, late)
    const element = opened.locator('#late-root markdown-editor')
    await opened.locator('#late').focus()
    await opened.keyboard.press('Control+End')
    expect(await element.getByRole('toolbar').count()).toBe(0)
    await opened.evaluate(() => app.hydrateLate())
    await element.getByRole('toolbar').waitFor()
    await expect.poll(() => element.getAttribute('data-mode')).toBe('split')
    await opened.keyboard.press('Control+End')
    await opened.keyboard.type('!')
    expect(await element.evaluate((host) => (host as MarkdownEditorElement).value)).toBe('late!')
    expect(await opened.evaluate(() => app.calls)).toEqual([])
    await done(opened)
  })
})
