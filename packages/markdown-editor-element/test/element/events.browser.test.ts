import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { MarkdownEditorElement } from '../../src/element/index.ts'
import { choose, holdUploads, PHOTO } from '../support/choose-files.ts'
import type { OpenPage, PageParts } from '../support/open-page.ts'
import { useTestSite } from '../support/test-site.ts'

const TYPES = ['ready', 'upload-start', 'upload-success', 'upload-error', 'upload-abort'] as const

interface Seen {
  readonly event: string
  /** The text of the editor when the listener was called. */
  readonly text: string
  readonly file?: string
  /** True if the file is the same object as in the first event. */
  readonly isSame?: boolean
  readonly [detail: string]: unknown
}

/** Runs in the page, before all other scripts. */
function listen(types: readonly string[]): void {
  const seen: Seen[] = []
  let first: unknown
  for (const type of types) {
    document.addEventListener(type, (event) => {
      const { file, ...rest } = ((event as CustomEvent).detail ?? {}) as { file?: File }
      first ??= file
      const of = file === undefined ? {} : { file: file.name, isSame: file === first }
      seen.push({
        event: type,
        text: (event.target as MarkdownEditorElement).value,
        ...of,
        ...rest,
      })
    })
  }
  Object.assign(globalThis, { seen })
}

describe('the events of the editor', () => {
  const site = useTestSite()

  const seenBy = (page: Page): Promise<Seen[]> =>
    page.evaluate(() => (globalThis as unknown as { seen: Seen[] }).seen.splice(0))

  async function openListening(parts: PageParts = {}): Promise<OpenPage> {
    const opened = await site.open(parts, {})
    await opened.page.addInitScript(listen, TYPES)
    await opened.page.reload()
    await opened.page.getByRole('toolbar').first().waitFor()
    return opened
  }

  const expectEvents = (page: Page, ...types: string[]): Promise<unknown> =>
    expect
      .poll(() =>
        page.evaluate(() =>
          (globalThis as unknown as { seen: Seen[] }).seen.map(({ event }) => event),
        ),
      )
      .toEqual(types)

  it('report when it is ready: after the upgrade and after a restart', async () => {
    const { page } = await openListening({ fields: { body: 'one', other: 'two' } })
    expect(await seenBy(page)).toEqual([
      { event: 'ready', text: 'one' },
      { event: 'ready', text: 'two' },
    ])
    await page
      .locator('markdown-editor')
      .first()
      .evaluate((element) => element.setAttribute('locale', 'de'))
    await expectEvents(page, 'ready')
    expect(await page.getByRole('toolbar').first().getAttribute('aria-label')).toBe('Formatierung')
  })

  it('report when an element created by script is ready, and not before', async () => {
    const { page } = await openListening()
    const seen = await page.evaluate(async () => {
      const element = document.createElement('markdown-editor') as MarkdownEditorElement
      element.append(document.createElement('textarea'))
      const states = [element.ready]
      document.forms[0]?.append(element)
      states.push(element.ready)
      await new Promise((resolve) => element.addEventListener('ready', resolve, { once: true }))
      states.push(element.ready, element.querySelector('[role=toolbar]') !== null)
      element.remove()
      states.push(element.ready)
      return states
    })
    expect(seen).toEqual([false, false, true, true, false])
  })

  it('report nothing for an editor that was removed immediately', async () => {
    const { page } = await openListening()
    await seenBy(page)
    await page.evaluate(() => {
      const element = document.createElement('markdown-editor')
      element.append(document.createElement('textarea'))
      document.body.append(element)
      element.remove()
    })
    expect(await seenBy(page)).toEqual([])
  })

  it('report an upload and its result', async () => {
    const opened = await openListening()
    await seenBy(opened.page)
    await choose(opened, 'Image', [PHOTO])
    await expectEvents(opened.page, 'upload-start', 'upload-success')
    const [start, success] = await seenBy(opened.page)
    expect(start).toEqual({
      event: 'upload-start',
      text: '![Uploading photo.png…]()\n\n',
      file: 'photo.png',
      isSame: true,
    })
    expect(success).toMatchObject({
      file: 'photo.png',
      isSame: true,
      name: 'photo.png',
      type: 'image/png',
    })
    expect(success?.['url']).toMatch(/^\/media\/md-editor\/tmp\//)
    expect(success?.text).toBe(`![photo](${success?.['url']})\n\n`)
  })

  it('report an upload that fails, and its retry', async () => {
    const opened = await openListening()
    await seenBy(opened.page)
    await opened.page.route('**/upload', (route) => route.abort('connectionreset'), { times: 1 })
    await choose(opened, 'Image', [PHOTO])
    await expectEvents(opened.page, 'upload-start', 'upload-error')
    expect((await seenBy(opened.page))[1]).toEqual({
      event: 'upload-error',
      text: '![Uploading photo.png…]()\n\n',
      file: 'photo.png',
      isSame: true,
      message: 'The server could not be reached.',
      canRetry: true,
    })
    await opened.button('Try again').click()
    await expectEvents(opened.page, 'upload-start', 'upload-success')
    expect((await seenBy(opened.page)).map(({ isSame }) => isSame)).toEqual([true, true])
  })

  it('report an upload that is rejected', async () => {
    site.server.onUpload = () => ({ status: 413, body: '<h1>Request Entity Too Large</h1>' })
    const opened = await openListening({ fields: { body: 'text' } })
    await seenBy(opened.page)
    await choose(opened, 'Image', [PHOTO])
    await expectEvents(opened.page, 'upload-start', 'upload-error')
    expect((await seenBy(opened.page))[1]).toMatchObject({ canRetry: false, text: 'text' })
  })

  it('report three parallel uploads, then the next ones, and none that is cancelled before its start', async () => {
    const release = holdUploads(site.server)
    const opened = await openListening()
    await seenBy(opened.page)
    const names = ['0.png', '1.png', '2.png', '3.png', '4.png']
    const files = names.map((name) => ({ ...PHOTO, name }))
    await choose(opened, 'Image', files)
    await opened.button('Cancel the upload of 4.png').click()
    await expect.poll(() => opened.text.inputValue()).not.toContain('4.png')
    await expectEvents(opened.page, 'upload-start', 'upload-start', 'upload-start')
    release()
    await expect.poll(() => opened.text.inputValue()).not.toContain('Uploading')
    const seen = await seenBy(opened.page)
    const filesOf = (type: string): unknown =>
      seen.filter(({ event }) => event === type).map(({ file }) => file)
    expect(filesOf('upload-start')).toEqual(names.slice(0, 4))
    expect(filesOf('upload-success')).toHaveLength(4)
    expect(filesOf('upload-abort')).toEqual([])
  })

  it('report an upload that is cancelled, and none whose file was never sent', async () => {
    site.server.onUpload = () => new Promise(() => {})
    const opened = await openListening({ defaults: { maxUploadSize: 1000 } })
    await seenBy(opened.page)
    const large = { ...PHOTO, name: 'large.png', buffer: Buffer.alloc(2000) }
    await choose(opened, 'Paste, drop, or click to add files', [large])
    await opened.page.getByText('large.png').first().waitFor()
    await choose(opened, 'Image', [PHOTO])
    await expectEvents(opened.page, 'upload-start')
    await opened.page.getByRole('button', { name: 'Cancel' }).click()
    await expectEvents(opened.page, 'upload-start', 'upload-abort')
    expect((await seenBy(opened.page))[1]).toEqual({
      event: 'upload-abort',
      text: '',
      file: 'photo.png',
      isSame: true,
    })
  })
})
