import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { choose, holdUploads, PHOTO } from '../support/choose-files.ts'
import { type Answer, problem, store } from '../support/test-server.ts'
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
    await row(opened.page, 'script.js was not uploaded.').waitFor()
    await row(opened.page, 'Only these files are accepted: PNG, M4A.').waitFor()
    await expect.poll(() => opened.text.inputValue()).toMatch(/^\[song\.m4a\]\(\/media\/\S+\)\n\n$/)
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

  it('report a failure, keep the position in the text, and fill it on a retry', async () => {
    site.server.onUpload = () => problem(429, 'rate_limited', 'Too many files at once.')
    const opened = await site.open({ fields: { body: 'text' } })
    const { page, text, button, select } = opened
    await select(4, 4)
    await choose(opened, 'Image', [PHOTO])
    const message = 'photo.png was not uploaded. Too many files at once.'
    await row(page, message).waitFor()
    expect(await text.inputValue()).toBe('text\n\n![Uploading photo.png…]()\n\n')
    expect(await page.getByRole('status').first().textContent()).toBe(message)
    await select(0, 0)
    await page.keyboard.type('more ')
    site.server.onUpload = null
    await button('Try again').click()
    await expect
      .poll(() => text.inputValue())
      .toMatch(/^more text\n\n!\[photo\]\(\/media\/\S+\)\n\n$/)
    expect(await page.getByText(message).count()).toBe(0)
  })

  it('report a rejected type briefly, without a retry and without an empty line', async () => {
    const detail =
      'Files of the type "application/x.y" are not accepted. Accepted are: image/png, image/webp.'
    site.server.onUpload = (file) =>
      file.name.startsWith('good') ? store(file) : problem(415, 'unsupported_media_type', detail)
    const opened = await site.open()
    await choose(opened, 'Image', [PHOTO, { ...PHOTO, name: 'good.png' }, PHOTO])
    const rejected = row(opened.page, 'photo.png was not uploaded.')
    await expect.poll(() => rejected.count()).toBe(2)
    expect(await rejected.first().innerText()).toMatch(
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
    await row(opened.page, reason).waitFor()
    expect(await opened.text.inputValue()).toBe('![Uploading photo.png…]()\n\n')
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
    // An earlier upload loads the script that sends files.
    const earlier = { ...PHOTO, name: 'earlier.png' }
    await choose(opened, 'Paste, drop, or click to add files', [earlier])
    await expect.poll(() => text.inputValue()).toContain('](/media/')
    await text.fill('')
    await page.context().setOffline(true)
    await choose(opened, 'Paste, drop, or click to add files', [PHOTO])
    await row(page, 'The server could not be reached.').waitFor()
    expect(await text.inputValue()).toBe('![Uploading photo.png…]()\n\n')
    await page.context().setOffline(false)
    await expect.poll(() => text.inputValue()).toMatch(/^!\[photo\]\(\/media\/\S+\)\n\n$/)
  })

  it('keep their position when the connection breaks, and continue when it is back', async () => {
    const opened = await site.open()
    await opened.page.route('**/upload', (route) => route.abort('connectionreset'), { times: 1 })
    await choose(opened, 'Image', [PHOTO])
    await row(opened.page, 'The server could not be reached.').waitFor()
    expect(await opened.text.inputValue()).toBe('![Uploading photo.png…]()\n\n')
    await opened.page.evaluate(() => window.dispatchEvent(new Event('online')))
    await expect.poll(() => opened.text.inputValue()).toMatch(/^!\[photo\]\(\/media\/\S+\)\n\n$/)
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

  it('keep their position if the result does not fit into the field', async () => {
    const opened = await site.open({ widget: { attrs: { maxlength: 40 } } })
    await choose(opened, 'Image', [PHOTO])
    await row(opened.page, 'The text would be too long for this field.').waitFor()
    expect(await opened.text.inputValue()).toBe('![Uploading photo.png…]()\n\n')
    await opened.text.evaluate((element) => element.setAttribute('maxlength', '200'))
    await opened.button('Try again').click()
    await expect.poll(() => opened.text.inputValue()).toContain('![photo](/media/')
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
})
