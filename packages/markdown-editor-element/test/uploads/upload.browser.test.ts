import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { png } from '../../../../tests/support/png.ts'
import type { MarkdownEditorElement } from '../../src/element/index.ts'
import { choose, gate, holdUploads, PHOTO } from '../support/choose-files.ts'
import { useCodeMirror } from '../support/code-mirror.ts'
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
    await expect.poll(() => text.inputValue()).toBe('before\n\n![Uploading photo.png…]()\n\n')
    await expect
      .poll(() => page.getByRole('progressbar', { name: 'Uploading photo.png' }).count())
      .toBe(1)
    await expect.poll(() => status(page)).toBe('Uploading photo.png')
    release()
    await expect
      .poll(() => text.inputValue())
      .toMatch(/^before\n\n!\[photo\]\(\/media\/md-editor\/tmp\/m\d+-photo\.png\)\n\n$/)
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
      .toMatch(
        /^<video src="\/media\/[^"]+-clip\.mp4" controls width="100%">clip\.mp4<\/video>\n\n$/,
      )
    await opened.text.fill('')
    await choose(opened, 'Document', [{ ...PHOTO, name: 'plan.pdf', mimeType: 'application/pdf' }])
    await expect
      .poll(() => opened.text.inputValue())
      .toMatch(/^\[plan\.pdf\]\(\/media\/[^)]+-plan\.pdf\)\n\n$/)
  })

  it('offer the file types of the button', async () => {
    const { page, button, press } = await site.open()
    const accepted = async (name: string): Promise<string | null> => {
      await press(name)
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
    await press('Video')
    await page.getByLabel('Address or embed code').waitFor()
    expect(await button('Choose files').count()).toBe(0)
    await page.keyboard.press('Escape')
    const run = (name: 'image' | 'video') =>
      page
        .locator('markdown-editor')
        .evaluate((element, kind) => (element as MarkdownEditorElement).run(kind), name)
    let count = 0
    page.on('filechooser', () => count++)
    await run('video')
    await run('image')
    await expect.poll(() => count).toBe(1)
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
      .toBe('![Uploading photo.png…]()\n\n![Uploading photo.png (2)…]()\n\n')
    gates[1]?.open()
    await expect.poll(() => opened.text.inputValue()).toContain('number-2')
    gates[0]?.open()
    await expect
      .poll(() => opened.text.inputValue())
      .toBe(
        '![photo](/media/md-editor/tmp/number-1)\n\n![photo](/media/md-editor/tmp/number-2)\n\n',
      )
  })

  it('insert several files as paragraphs and escape their names (F40)', async () => {
    const opened = await site.open()
    await choose(opened, 'Image', [PHOTO, { ...PHOTO, name: 'a](javascript:x) b.png' }])
    await expect
      .poll(() => opened.text.inputValue())
      .toMatch(/^!\[photo\]\(\S+\)\n\n!\[a\\\]\(javascript:x\) b\]\(\S+\)\n\n$/)
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
      .toMatch(/^Start\. (?:\n\n!\[[abc]\]\(\S+\)){3}\n\n$/)
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

  it('show the text when a file is dropped on the preview', async () => {
    const opened = await site.open({ fields: { body: 'text' } })
    await opened.page.getByRole('tab', { name: 'Preview' }).click()
    await expect.poll(() => opened.text.isVisible()).toBe(false)
    await opened.page.locator('markdown-editor').evaluate((element) => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File(['x'], 'dropped.png', { type: 'image/png' }))
      element.dispatchEvent(
        new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }),
      )
    })
    await expect.poll(() => opened.text.inputValue()).toContain('![dropped](/media/')
    expect(await opened.text.isVisible()).toBe(true)
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

  it('make the finished image one undo step', async () => {
    const opened = await site.open()
    const { page, text } = opened
    await choose(opened, 'Image', [PHOTO])
    await expect.poll(() => text.inputValue()).toContain('](/media/')
    await page.keyboard.type(' and more')
    await page.keyboard.press('Control+z')
    expect(await text.inputValue()).toMatch(/^!\[photo\]\(\S+\)\n\n$/)
    await page.keyboard.press('Control+z')
    expect(await text.inputValue()).toBe('')
    await page.keyboard.press('Control+y')
    expect(await text.inputValue()).toMatch(/^!\[photo\]\(\S+\)\n\n$/)
    await page.keyboard.type('next')
    expect(await text.inputValue()).toMatch(/^!\[photo\]\(\S+\)\n\nnext$/)
  })

  it('keep undo and redo from damaging the text if they end while another field has the focus', async () => {
    const release = holdUploads(site.server)
    const opened = await site.open({ fields: { body: '' } })
    const { page, text, button, press } = opened
    await text.click()
    await page.keyboard.type('one')
    await page.keyboard.press('Enter')
    await choose(opened, 'Image', [PHOTO])
    await expect.poll(() => text.inputValue()).toContain('Uploading')
    await button('Publish').focus()
    release()
    await expect.poll(() => text.inputValue()).toContain('](/media/')
    const uploaded = await text.inputValue()
    await text.focus()
    for (const key of ['Control+z', 'Control+z', 'Control+y', 'Control+y', 'Control+y']) {
      await page.keyboard.press(key)
      expect(await text.inputValue()).toBe(uploaded)
    }
    await press('Undo')
    expect(await text.inputValue()).toBe(uploaded)
    await text.focus()
    await page.keyboard.type('more')
    await page.keyboard.press('Control+z')
    expect(await text.inputValue()).toBe(uploaded)
  })

  it.each(['native', 'codemirror'] as const)(
    'restore no placeholder with undo and redo: %s',
    async (surface) => {
      const release = holdUploads(site.server)
      const opened = await site.open({ fields: { body: 'one' }, widget: { surface } })
      const { page, press } = opened
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
      await press('Undo')
      await expect.poll(value).toBe('one')
      await press('Redo')
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

  it('behave equally in CodeMirror', async () => {
    const opened = await useCodeMirror(await site.open({ fields: { body: 'text' } }))
    const { content, page } = opened
    await content.evaluate((element) => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File(['x'], 'dropped.pdf', { type: 'application/pdf' }))
      element.dispatchEvent(
        new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }),
      )
    })
    await expect
      .poll(() => opened.value())
      .toMatch(/\[dropped\.pdf\]\(\/media\/md-editor\/tmp\/\S+\)/)
    await page.evaluate(() => {
      document.forms[0]?.addEventListener('submit', (event) => {
        event.preventDefault()
        document.body.dataset['sent'] =
          `${new FormData(event.target as HTMLFormElement).get('body')}`
      })
    })
    const before = await opened.value()
    await opened.button('Publish').click()
    await page.locator('body[data-sent*="/uploads/2026/11/"]').waitFor()
    expect(await opened.value()).toBe(before.replace('/tmp/', '/uploads/2026/11/'))
    await content.focus()
    await page.keyboard.press('Control+z')
    await expect.poll(() => opened.value()).toBe(before)
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
    const { page, button, press } = await site.open({ widget: { uploadUrl: '' } })
    expect(await button('Paste, drop, or click to add files').count()).toBe(0)
    for (const name of ['Image', 'Video', 'Document']) {
      await press(name)
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
