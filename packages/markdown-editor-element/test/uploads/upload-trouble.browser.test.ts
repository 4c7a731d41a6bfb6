import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { choose, holdUploads, PHOTO } from '../support/choose-files.ts'
import { useCodeMirror } from '../support/code-mirror.ts'
import { type Answer, problem } from '../support/test-server.ts'
import { useTestSite } from '../support/test-site.ts'

describe('uploads of <markdown-editor> with errors', () => {
  const site = useTestSite()
  const row = (page: Page, text: string) => page.locator('markdown-editor li', { hasText: text })

  it('are not started for files that the server would reject', async () => {
    const opened = await site.open({
      defaults: { maxUploadSize: 1_572_864, uploadTypes: ['image/png', 'audio/mp4'] },
    })
    const files = [
      { ...PHOTO, name: 'empty.png', buffer: Buffer.alloc(0) },
      { ...PHOTO, name: 'large.png', buffer: Buffer.alloc(2 * 1024 * 1024 + 1) },
      { ...PHOTO, name: 'script.js', mimeType: 'text/javascript' },
      { ...PHOTO, name: 'song.m4a', mimeType: 'audio/x-m4a' },
    ]
    await choose(opened, 'Paste, drop, or click to add files', files)
    await row(opened.page, 'empty.png is empty.').waitFor()
    await row(opened.page, 'large.png is too large (2 MB). The limit is 1.5 MB.').waitFor()
    await row(opened.page, 'Files of the type “text/javascript” are not accepted.').waitFor()
    await expect.poll(() => opened.text.inputValue()).toMatch(/^\[song\.m4a\]\(\/media\/\S+\)\n$/)
    expect(site.server.files.map(({ name }) => name)).toEqual(['song.m4a'])
  })

  it.each([
    ['at the end of blank lines', 'a\n\n\n\n', 5],
    ['before blank lines', 'a\n\n\n', 1],
    ['between paragraphs', 'a\n\n\n\nb', 3],
  ])('restore the exact text after a failure: %s', async (_, body, caret) => {
    site.server.onUpload = () => problem(415, 'unsupported_media_type', 'Not allowed.')
    const opened = await site.open({ fields: { body } })
    await opened.select(caret, caret)
    const files = [PHOTO, { ...PHOTO, name: 'second.png' }]
    await choose(opened, 'Paste, drop, or click to add files', files)
    await row(opened.page, 'second.png was not uploaded').waitFor()
    await row(opened.page, 'photo.png was not uploaded').waitFor()
    expect(await opened.text.inputValue()).toBe(body)
  })

  it.each([
    [0, 3],
    [15, 19],
  ])('keep the selection of the user after a failure: %i to %i', async (start, end) => {
    const release = holdUploads(site.server, () =>
      problem(415, 'unsupported_media_type', 'Not allowed.'),
    )
    const body = 'one line\n\nand a long'
    const opened = await site.open({ fields: { body } })
    await opened.select(8, 8)
    await choose(opened, 'Paste, drop, or click to add files', [PHOTO])
    await row(opened.page, 'photo.png').waitFor()
    const added = start > 8 ? (await opened.text.inputValue()).length - body.length : 0
    await opened.select(start + added, end + added)
    release()
    await row(opened.page, 'photo.png was not uploaded').waitFor()
    expect(await opened.text.inputValue()).toBe(body)
    expect(await opened.selection()).toEqual([start, end])
  })

  it('continue automatically when the browser is online again', async () => {
    const opened = await site.open({}, {})
    const { page, text } = opened
    // An earlier upload has loaded the script that sends files.
    const earlier = { ...PHOTO, name: 'earlier.png' }
    await choose(opened, 'Paste, drop, or click to add files', [earlier])
    await expect.poll(() => text.inputValue()).toContain('](/media/')
    await text.fill('')
    await page.context().setOffline(true)
    await choose(opened, 'Paste, drop, or click to add files', [PHOTO])
    await row(page, 'The server could not be reached.').waitFor()
    expect(await text.inputValue()).toBe('![Uploading photo.png…]()\n')
    await page.context().setOffline(false)
    await expect.poll(() => text.inputValue()).toMatch(/^!\[photo\]\(\/media\/\S+\)\n$/)
  })

  it('keep their position when the connection breaks, and continue when it is back', async () => {
    const opened = await site.open()
    await opened.page.route('**/upload', (route) => route.abort('connectionreset'), { times: 1 })
    await choose(opened, 'Image', [PHOTO])
    await row(opened.page, 'The server could not be reached.').waitFor()
    expect(await opened.text.inputValue()).toBe('![Uploading photo.png…]()\n')
    await opened.page.evaluate(() => window.dispatchEvent(new Event('online')))
    await expect.poll(() => opened.text.inputValue()).toMatch(/^!\[photo\]\(\/media\/\S+\)\n$/)
    expect(await opened.page.locator('markdown-editor li').count()).toBe(0)
  })

  it('continue after a sign-in in another tab', async () => {
    site.server.onUpload = () => problem(401, 'authentication_required', 'Sign in.')
    const opened = await site.open()
    await choose(opened, 'Image', [PHOTO])
    await row(
      opened.page,
      'You were signed out. Sign in using another tab, then try again.',
    ).waitFor()
    site.server.onUpload = null
    await opened.button('Try again').click()
    await expect.poll(() => opened.text.inputValue()).toContain('![photo](/media/')
  })

  it('are removed when a proxy rejects them as too large, which is reported', async () => {
    site.server.onUpload = () => ({ status: 413, body: '<h1>Request Entity Too Large</h1>' })
    const opened = await site.open({ fields: { body: 'text' } })
    await choose(opened, 'Image', [PHOTO])
    await row(
      opened.page,
      'photo.png was not uploaded. The data is too large for the server.',
    ).waitFor()
    await expect.poll(() => opened.text.inputValue()).toBe('text')
  })

  it.each<[string, Answer, string]>([
    [
      'another type',
      { status: 415, body: { code: 'unsupported_media_type', detail: { a: 1 } } },
      'status 415',
    ],
    ['another code', { status: 400, body: { code: { toString: 1 }, title: 'No.' } }, 'No.'],
    [
      'endless',
      { status: 400, body: { detail: 'a'.repeat(1000) } },
      `not uploaded. ${'a'.repeat(500)}`,
    ],
  ])('show only a short text as the reason: %s', async (_, answer, words) => {
    site.server.onUpload = () => answer
    const opened = await site.open()
    await choose(opened, 'Image', [PHOTO])
    const row = opened.page.locator('.md-editor-upload')
    await row.getByText(words).waitFor()
    expect(await row.innerText()).not.toMatch(/a{501}|function|object/)
    expect(await opened.text.inputValue()).toBe('')
  })

  it('use the name of the file if the server returns no valid name', async () => {
    site.server.onUpload = () => ({
      status: 201,
      body: { url: '/media/u.png', name: { toString: 1 }, type: 7 },
    })
    const opened = await site.open()
    await choose(opened, 'Image', [PHOTO])
    await expect
      .poll(() => opened.text.inputValue())
      .toMatch(/photo.*\/media\/u\.png|\/media\/u\.png.*photo/)
  })

  it('block the form after a failure, and offer a choice', async () => {
    site.server.onUpload = () => problem(503, 'storage_failed', 'Try later.')
    const opened = await site.open({ fields: { body: 'text' } })
    await choose(opened, 'Image', [PHOTO])
    await row(opened.page, 'Try later.').waitFor()
    await opened.button('Publish').click()
    await opened.page
      .getByText('The form was not sent, because a file was not uploaded.')
      .first()
      .waitFor()
    expect(site.server.saved).toEqual([])
    await opened.button('Send without the files').click()
    await opened.page.waitForURL('**/save')
    expect(Object.fromEntries(site.server.saved[0] ?? [])).toMatchObject({
      body: 'text',
      action: 'publish',
    })
  })

  it('are retried with the form', async () => {
    site.server.onUpload = () => problem(503, 'storage_failed', 'Try later.')
    const opened = await site.open()
    await choose(opened, 'Image', [PHOTO])
    await row(opened.page, 'Try later.').waitFor()
    await opened.button('Publish').click()
    const notice = opened.page.locator('.md-editor-notice')
    await notice.getByText('The form was not sent').waitFor()
    site.server.onUpload = null
    await notice.getByRole('button', { name: 'Try again' }).click()
    await opened.page.waitForURL('**/save')
    expect(site.server.saved[0]?.get('body')).toMatch(
      /^!\[photo\]\(\/media\/md-editor\/uploads\/\S+\)\s+$/,
    )
  })

  it('that take too long do not block a form that is sent without them', async () => {
    const release = holdUploads(site.server)
    const opened = await site.open({ fields: { body: 'text' } })
    await choose(opened, 'Image', [PHOTO, { ...PHOTO, name: 'other.png' }])
    await opened.button('Publish').click()
    await opened.button('Send without the files').click()
    await opened.page.waitForURL('**/save')
    expect(site.server.saved.map((fields) => fields.get('body'))).toEqual(['text'])
    release()
  })

  it('do not block the form when their element is removed', async () => {
    const release = holdUploads(site.server)
    const opened = await site.open({ fields: { body: 'text', second: 'other' } })
    await choose(opened, 'Image', [PHOTO])
    await expect.poll(() => opened.text.inputValue()).toContain('Uploading')
    await opened.button('Publish').click()
    await opened.page.locator('.md-editor-notice', { hasText: 'Waiting' }).waitFor()
    await opened.page.evaluate(() => document.querySelector('markdown-editor')?.remove())
    await opened.button('Publish').click()
    await opened.page.waitForURL('**/save')
    expect(site.server.saved[0]?.get('second')).toBe('other')
    release()
  })

  it('keep their position if the result does not fit into the field', async () => {
    const opened = await site.open({ widget: { attrs: { maxlength: 40 } } })
    await choose(opened, 'Image', [PHOTO])
    await row(opened.page, 'The text would be too long for this field.').waitFor()
    expect(await opened.text.inputValue()).toBe('![Uploading photo.png…]()\n')
    await opened.text.evaluate((element) => element.setAttribute('maxlength', '200'))
    await opened.button('Try again').click()
    await expect.poll(() => opened.text.inputValue()).toContain('![photo](/media/')
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

  it('can be cancelled by keyboard, and the focus stays in the editor', async () => {
    const release = holdUploads(site.server)
    const opened = await site.open()
    await choose(opened, 'Image', [PHOTO, { ...PHOTO, name: 'other.png' }])
    await opened.button('Cancel the upload of photo.png').focus()
    await opened.page.keyboard.press('Enter')
    await expect.poll(() => opened.page.locator('markdown-editor li').count()).toBe(1)
    const focused = () =>
      opened.page.evaluate(() => document.activeElement?.getAttribute('aria-label'))
    expect(await focused()).toBe('Cancel the upload of other.png')
    await opened.page.keyboard.press('Enter')
    await expect.poll(() => opened.text.inputValue()).toBe('')
    await expect
      .poll(() => opened.text.evaluate((element) => element === document.activeElement))
      .toBe(true)
    release()
  })

  it('do not disturb a composition', async () => {
    const release = holdUploads(site.server)
    const opened = await site.open()
    await choose(opened, 'Image', [PHOTO])
    await opened.select(0, 0)
    const session = await opened.page.context().newCDPSession(opened.page)
    await session.send('Input.imeSetComposition', {
      text: '日',
      selectionStart: 1,
      selectionEnd: 1,
    })
    const answered = opened.page.waitForResponse('**/upload')
    release()
    await (await answered).finished()
    expect(await opened.text.inputValue()).toBe('日![Uploading photo.png…]()\n')
    await session.send('Input.insertText', { text: '日本' })
    await expect.poll(() => opened.text.inputValue()).toMatch(/^日本!\[photo\]\(\/media\/\S+\)\n$/)
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

  it('keep their files if the upload script cannot be loaded', async () => {
    const opened = await site.open({ fields: { body: 'text' } }, {})
    const { page } = opened
    await page.context().route(/\/prepare-fields-\w+\.js$/, (route) => route.abort())
    await page.reload()
    await choose(opened, 'Image', [PHOTO])
    const notice = page.locator('.md-editor-notice')
    await notice.getByText('A part of this page could not be loaded').waitFor()
    await page.context().unroute(/\/prepare-fields-\w+\.js$/)
    await notice.getByRole('button', { name: 'Try again' }).click()
    await expect.poll(() => opened.text.inputValue()).toContain('![photo](/media/')
  })

  it('end when the form is reset', async () => {
    const release = holdUploads(site.server)
    const opened = await site.open({ fields: { body: 'text' } })
    await choose(opened, 'Image', [PHOTO])
    await expect.poll(() => opened.text.inputValue()).toContain('Uploading')
    await opened.page.evaluate(() => document.forms[0]?.reset())
    await expect.poll(() => opened.page.locator('markdown-editor li').count()).toBe(0)
    expect(await opened.text.inputValue()).toBe('text')
    release()
  })
})
