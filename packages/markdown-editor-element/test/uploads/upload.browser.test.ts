import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { png } from '../../../../tests/support/png.ts'
import type { MarkdownEditorElement } from '../../src/element/index.ts'
import { choose, gate, holdUploads, PHOTO } from '../support/choose-files.ts'
import { type Answer, problem, store } from '../support/test-server.ts'
import { useTestSite } from '../support/test-site.ts'

describe('uploads of <markdown-editor>', () => {
  const site = useTestSite()

  const status = (page: Page): Promise<string | null> =>
    page.getByRole('status').first().textContent()

  it('insert a chosen image by way of a placeholder', async () => {
    const release = holdUploads(site.server)
    const opened = await site.open({ fields: { body: 'before' } })
    const { page, text, select } = opened
    await select(6, 6)
    await choose(opened, 'Image', [PHOTO])
    await expect.poll(() => text.inputValue()).toBe('before\n\n![Uploading photo.png…]()\n')
    await expect
      .poll(() => page.getByRole('progressbar', { name: 'Uploading photo.png' }).count())
      .toBe(1)
    await expect.poll(() => status(page)).toBe('Uploading photo.png')
    release()
    await expect
      .poll(() => text.inputValue())
      .toMatch(/^before\n\n!\[photo\]\(\/media\/md-editor\/tmp\/m\d+-photo\.png\)\n$/)
    await expect.poll(() => page.getByRole('progressbar').count()).toBe(0)
    await expect.poll(() => status(page)).toBe('photo.png was uploaded')
  })

  it('send the CSRF token first, and as a header', async () => {
    const opened = await site.open()
    await choose(opened, 'Image', [PHOTO])
    await expect.poll(() => site.server.files.length).toBe(1)
    expect(site.server.files[0]).toMatchObject({
      parts: ['csrf_token', 'file'],
      token: 'token-of-the-form',
    })
    expect(site.server.posted[0]?.headers['x-csrf-token']).toBe('token-of-the-form')
  })

  it('use the CSRF token of the page if the form has none', async () => {
    const opened = await site.open({
      before: '<meta name="csrf-token" content="token-of-the-page">',
    })
    await opened.page.locator('input[name=csrf_token]').evaluate((input) => input.remove())
    await choose(opened, 'Image', [PHOTO])
    await expect.poll(() => site.server.files[0]?.token).toBe('token-of-the-page')
  })

  it('insert a player for a video and a link for a document', async () => {
    const opened = await site.open()
    await choose(opened, 'Video', [{ ...PHOTO, name: 'clip.mp4', mimeType: 'video/mp4' }])
    await expect
      .poll(() => opened.text.inputValue())
      .toMatch(/^<video src="\/media\/[^"]+-clip\.mp4" controls width="100%">clip\.mp4<\/video>\n$/)
    await opened.text.fill('')
    await choose(opened, 'Document', [{ ...PHOTO, name: 'plan.pdf', mimeType: 'application/pdf' }])
    await expect
      .poll(() => opened.text.inputValue())
      .toMatch(/^\[plan\.pdf\]\(\/media\/[^)]+-plan\.pdf\)\n$/)
  })

  it('offer the file types of the button', async () => {
    const { page, button } = await site.open()
    const accepted = async (name: string): Promise<string | null> => {
      await button(name).click()
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        button('Choose files').click(),
      ])
      await page.keyboard.press('Escape')
      return chooser.element().getAttribute('accept')
    }
    expect(await accepted('Image')).toBe('image/*')
    await page.locator('markdown-editor').evaluate((element) => {
      element.setAttribute('upload-types', 'image/png image/webp application/pdf')
    })
    expect(await accepted('Image')).toBe('image/png,image/webp')
    expect(await accepted('Document')).toBe('application/pdf')
    await button('Video').click()
    await page.getByLabel('Address or embed code').waitFor()
    expect(await button('Choose files').count()).toBe(0)
  })

  it('show progress while a large file is sent', async () => {
    const opened = await site.open({}, {})
    const { page } = opened
    const session = await page.context().newCDPSession(page)
    await session.send('Network.emulateNetworkConditions', {
      ...{ offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 400_000 },
    })
    await choose(opened, 'Image', [{ ...PHOTO, buffer: Buffer.alloc(400_000) }])
    const bar = page.getByRole('progressbar')
    const between = (value: number): boolean => value > 0 && value < 1
    await expect
      .poll(async () =>
        between(await bar.evaluate((element: HTMLProgressElement) => element.value)),
      )
      .toBe(true)
    await expect.poll(() => opened.text.inputValue()).toContain('](/media/')
  })

  it('distinguish files with the same name, whichever finishes first (F40)', async () => {
    const gates = [gate(), gate()]
    let count = 0
    site.server.onUpload = async (file) => {
      const number = ++count
      await gates[number - 1]?.opened
      return {
        status: 201,
        body: { url: `/media/md-editor/tmp/number-${number}`, name: file.name, type: file.type },
      }
    }
    const opened = await site.open()
    await choose(opened, 'Image', [PHOTO])
    await expect.poll(() => count).toBe(1)
    await choose(opened, 'Image', [PHOTO])
    await expect
      .poll(() => opened.text.inputValue())
      .toBe('![Uploading photo.png…]()\n\n![Uploading photo.png (2)…]()\n')
    gates[1]?.open()
    await expect.poll(() => opened.text.inputValue()).toContain('number-2')
    gates[0]?.open()
    await expect
      .poll(() => opened.text.inputValue())
      .toBe('![photo](/media/md-editor/tmp/number-1)\n\n![photo](/media/md-editor/tmp/number-2)\n')
  })

  it('insert several files as paragraphs and escape their names (F40)', async () => {
    const opened = await site.open()
    await choose(opened, 'Image', [PHOTO, { ...PHOTO, name: 'a](javascript:x) b.png' }])
    await expect
      .poll(() => opened.text.inputValue())
      .toMatch(/^!\[photo\]\(\S+\)\n\n!\[a\\\]\(javascript:x\) b\]\(\S+\)\n$/)
  })

  it('insert images that are chosen together after words as equal paragraphs', async () => {
    const opened = await site.open({ fields: { body: 'Start. ' } })
    await opened.text.focus()
    await opened.page.keyboard.press('Control+End')
    const buffer = png(8, 6, [1, 2, 3])
    const pictures = ['a', 'b', 'c'].map((name) => ({
      name: `${name}.png`,
      mimeType: 'image/png',
      buffer,
    }))
    await choose(opened, 'Image', pictures)
    await expect
      .poll(() => opened.text.inputValue())
      .toMatch(/^Start\. (?:\n\n!\[[abc]\]\(\S+\)){3}\n$/)
  })

  it('accept pasted and dropped files', async () => {
    const { page, text } = await site.open()
    await text.focus()
    await text.evaluate((element) => {
      const clipboardData = new DataTransfer()
      clipboardData.items.add(new File(['x'], 'pasted.png', { type: 'image/png' }))
      element.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
      )
    })
    await expect.poll(() => text.inputValue()).toContain('![pasted](/media/')
    await page.locator('markdown-editor').evaluate((element) => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File(['x'], 'dropped.png', { type: 'image/png' }))
      const over = new DragEvent('dragover', { dataTransfer, bubbles: true, cancelable: true })
      element.dispatchEvent(over)
      element.setAttribute(
        'data-test',
        `${over.defaultPrevented} ${element.hasAttribute('data-dragging')}`,
      )
      element.dispatchEvent(
        new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }),
      )
    })
    await expect.poll(() => text.inputValue()).toContain('![dropped](/media/')
    expect(await page.locator('markdown-editor').getAttribute('data-test')).toBe('true true')
    expect(await page.locator('markdown-editor').getAttribute('data-dragging')).toBe(null)
  })

  it('paste cells of a spreadsheet as text, not as an image', async () => {
    const { text } = await site.open()
    await text.focus()
    await text.evaluate((element) => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', 'a\tb')
      clipboardData.setData('text/html', '<table></table>')
      clipboardData.items.add(new File(['x'], 'cells.png', { type: 'image/png' }))
      element.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
      )
    })
    expect(await text.inputValue()).not.toContain('cells.png')
    expect(site.server.files).toEqual([])
  })

  it('find the placeholder after typing has moved it, and keep caret and focus', async () => {
    const release = holdUploads(site.server)
    const opened = await site.open({ before: '<label>Title <input name="title"></label>' })
    const { page, text, select, selection } = opened
    await choose(opened, 'Image', [PHOTO])
    await select(0, 0)
    await page.keyboard.type('Hello ')
    expect(await selection()).toEqual([6, 6])
    await page.getByLabel('Title').focus()
    release()
    await expect.poll(() => text.inputValue()).toMatch(/^Hello !\[photo\]\(\/media\/\S+\)\n$/)
    expect(await selection()).toEqual([6, 6])
    expect(
      await page.getByLabel('Title').evaluate((element) => element === document.activeElement),
    ).toBe(true)
  })

  it('make the finished image one undo step', async () => {
    const opened = await site.open()
    const { page, text } = opened
    await choose(opened, 'Image', [PHOTO])
    await expect.poll(() => text.inputValue()).toContain('](/media/')
    await page.keyboard.type(' and more')
    await page.keyboard.press('Control+z')
    expect(await text.inputValue()).toMatch(/^!\[photo\]\(\S+\)\n$/)
    await page.keyboard.press('Control+z')
    expect(await text.inputValue()).toBe('')
    await page.keyboard.press('Control+y')
    expect(await text.inputValue()).toMatch(/^!\[photo\]\(\S+\)\n$/)
    await page.keyboard.type('next')
    expect(await text.inputValue()).toMatch(/^!\[photo\]\(\S+\)\nnext$/)
  })

  it.each(['native', 'codemirror'] as const)(
    'restore no placeholder with undo and redo: %s',
    async (surface) => {
      const release = holdUploads(site.server)
      const opened = await site.open({ fields: { body: 'one' }, widget: { surface } })
      const { page, button } = opened
      const value = (): Promise<string> =>
        page
          .locator('markdown-editor')
          .evaluate((element) => (element as MarkdownEditorElement).value)
      if (surface === 'codemirror') await page.locator('.cm-content').waitFor()
      await choose(opened, 'Image', [PHOTO])
      await expect.poll(value).toContain('Uploading')
      await page.keyboard.type('typed')
      release()
      await expect.poll(value).toContain('](/media/')
      const finished = await value()
      expect(finished).toContain('\ntyped')
      await button('Undo').click()
      await expect.poll(value).toBe('one')
      await button('Redo').click()
      await expect.poll(value).toBe(finished)
    },
  )

  it('scroll to the caret below the image in a long text', async () => {
    const body = 'word\n\n'.repeat(60)
    const opened = await site.open({ fields: { body } }, { viewport: { width: 800, height: 500 } })
    const { page, text } = opened
    await opened.select(body.length, body.length)
    await text.evaluate((element) => {
      element.scrollTop = 0
    })
    await page.evaluate(() => scrollTo(0, 0))
    await choose(opened, 'Image', [PHOTO])
    await expect.poll(() => text.inputValue()).toContain('](/media/')
    const { caret, length, below, belowWindow } = await text.evaluate(
      (element: HTMLTextAreaElement) => ({
        caret: element.selectionStart,
        length: element.value.length,
        below: element.scrollHeight - element.clientHeight - element.scrollTop,
        belowWindow: element.getBoundingClientRect().bottom - innerHeight,
      }),
    )
    expect(caret).toBe(length)
    expect(below).toBeLessThan(30)
    expect(belowWindow).toBeLessThanOrEqual(0)
  })

  it('report a failure, keep the position in the text, and fill it on a retry', async () => {
    site.server.onUpload = () => problem(429, 'rate_limited', 'Too many files at once.')
    const opened = await site.open({ fields: { body: 'text' } })
    const { page, text, button, select } = opened
    await select(4, 4)
    await choose(opened, 'Image', [PHOTO])
    const message = 'photo.png was not uploaded. Too many files at once.'
    await page.locator('markdown-editor li', { hasText: message }).waitFor()
    expect(await text.inputValue()).toBe('text\n\n![Uploading photo.png…]()\n')
    expect(await status(page)).toBe(message)
    await select(0, 0)
    await page.keyboard.type('more ')
    site.server.onUpload = null
    await button('Try again').click()
    await expect
      .poll(() => text.inputValue())
      .toMatch(/^more text\n\n!\[photo\]\(\/media\/\S+\)\n$/)
    expect(await page.getByText(message).count()).toBe(0)
  })

  it('report a rejected type briefly, without a retry and without an empty line', async () => {
    const detail =
      'Files of the type "application/x.y" are not accepted. Accepted are: image/png, image/webp.'
    site.server.onUpload = (file) =>
      file.name.startsWith('good') ? store(file) : problem(415, 'unsupported_media_type', detail)
    const opened = await site.open()
    await choose(opened, 'Image', [PHOTO, { ...PHOTO, name: 'good.png' }, PHOTO])
    const refused = opened.page.locator('markdown-editor li', {
      hasText: 'photo.png was not uploaded.',
    })
    await expect.poll(() => refused.count()).toBe(2)
    expect(await refused.first().innerText()).toMatch(
      /Files of the type "application\/x\.y" are not accepted\.\s*Dismiss$/,
    )
    expect(await opened.button('Try again').count()).toBe(0)
    await expect.poll(() => opened.text.inputValue()).toMatch(/^!\[good\]\(\S+\)$/)
  })

  it.each([
    [
      'a page of a proxy',
      { status: 502, body: '<h1>Bad gateway</h1>' },
      'The server answered with status 502.',
    ],
    ['an answer without a URL', { status: 201, body: {} }, 'The server gave an unexpected answer.'],
  ] satisfies [string, Answer, string][])('understand %s (F28)', async (_name, answer, reason) => {
    site.server.onUpload = () => answer
    const opened = await site.open()
    await choose(opened, 'Image', [PHOTO])
    await opened.page.locator('markdown-editor li', { hasText: reason }).waitFor()
    expect(await opened.text.inputValue()).toBe('![Uploading photo.png…]()\n')
    await opened.button('Remove photo.png from the text').click()
    await expect.poll(() => opened.text.inputValue()).toBe('')
    expect(await opened.page.locator('markdown-editor li').count()).toBe(0)
  })

  it('report that the server cannot be reached', async () => {
    const opened = await site.open()
    await opened.page.route('**/upload', (route) => route.abort())
    await choose(opened, 'Image', [PHOTO])
    await opened.page.getByText('The server could not be reached.').first().waitFor()
  })

  it('are cancelled on request', async () => {
    const release = holdUploads(site.server)
    const opened = await site.open({ fields: { body: 'one\n\ntwo' } })
    const { page, text, button, select } = opened
    await select(4, 4)
    await choose(opened, 'Image', [PHOTO])
    await button('Cancel the upload of photo.png').click()
    await expect.poll(() => text.inputValue()).toBe('one\n\ntwo')
    expect(await page.getByRole('progressbar').count()).toBe(0)
    release()
  })

  it('are cancelled when the editor restarts in another language', async () => {
    const release = holdUploads(site.server)
    const opened = await site.open({ fields: { body: 'one' } })
    await choose(opened, 'Image', [PHOTO])
    await expect.poll(() => opened.text.inputValue()).toContain('photo.png')
    await opened.page
      .locator('markdown-editor')
      .evaluate((element) => element.setAttribute('locale', 'de'))
    await opened.button('Fett').waitFor()
    expect(await opened.text.inputValue()).toBe('one')
    expect(await opened.page.getByRole('progressbar').count()).toBe(0)
    release()
  })

  it('send three files at once, then the others', async () => {
    const release = holdUploads(site.server)
    const opened = await site.open()
    const files = Array.from({ length: 5 }, (_, index) => ({ ...PHOTO, name: `${index}.png` }))
    await choose(opened, 'Image', files)
    await expect.poll(() => site.server.files.length).toBe(3)
    await opened.button('Cancel the upload of 4.png').click()
    await expect.poll(() => opened.text.inputValue()).not.toContain('4.png')
    release()
    await expect.poll(() => opened.text.inputValue()).not.toContain('Uploading')
    expect(site.server.files.map(({ name }) => name).sort()).toEqual([
      '0.png',
      '1.png',
      '2.png',
      '3.png',
    ])
  })

  it('offer a file whose placeholder was deleted', async () => {
    const release = holdUploads(site.server)
    const opened = await site.open()
    await choose(opened, 'Image', [PHOTO])
    await expect.poll(() => opened.text.inputValue()).toContain('Uploading')
    await opened.text.fill('all new')
    release()
    await opened.button('Insert').click()
    expect(await opened.text.inputValue()).toMatch(/^all new\n\n!\[photo\]\(\/media\/\S+\)\n$/)
  })

  it('let the page add headers to a request, or cancel it', async () => {
    const opened = await site.open()
    await opened.page.evaluate(() => {
      document.addEventListener('request', (event) => {
        const { detail } = event as CustomEvent<{ kind: string; url: string; headers: Headers }>
        detail.headers.set('authorization', `Bearer ${detail.kind} ${detail.url}`)
      })
    })
    await choose(opened, 'Image', [PHOTO])
    await expect
      .poll(() => site.server.posted[0]?.headers['authorization'])
      .toBe('Bearer upload /md-editor/upload')
    await opened.page.evaluate(() => {
      document.addEventListener('request', (event) => event.preventDefault())
    })
    await choose(opened, 'Image', [PHOTO])
    await opened.page.getByText('This page cancelled the request.').first().waitFor()
    expect(site.server.posted.length).toBe(1)
  })

  it('are disabled without an upload URL', async () => {
    const { page, button } = await site.open({ widget: { uploadUrl: '' } })
    expect(await button('Paste, drop, or click to add files').count()).toBe(0)
    for (const name of ['Image', 'Video', 'Document']) {
      await button('More').click()
      await button(name).click()
      await page.getByLabel('Address').waitFor()
      expect(await button('Choose files').count()).toBe(0)
      await page.keyboard.press('Escape')
    }
    const stays = await page.locator('markdown-editor').evaluate((element) => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File(['x'], 'a.png'))
      return !element.dispatchEvent(
        new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }),
      )
    })
    expect(stays).toBe(true)
    expect(site.server.files).toEqual([])
  })
})
