import { describe, expect, it } from 'vitest'
import { choose, holdUploads, PHOTO } from '../support/choose-files.ts'
import { useTestSite } from '../support/test-site.ts'

describe('uploads of <markdown-editor> in progress', () => {
  const site = useTestSite()

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
    await expect.poll(() => text.inputValue()).toMatch(/^Hello !\[photo\]\(\/media\/\S+\)\n\n$/)
    expect(await selection()).toEqual([6, 6])
    expect(
      await page.getByLabel('Title').evaluate((element) => element === document.activeElement),
    ).toBe(true)
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

  it('offer a file whose placeholder was deleted, until it is inserted', async () => {
    const release = holdUploads(site.server)
    const opened = await site.open()
    await choose(opened, 'Image', [PHOTO])
    await expect.poll(() => opened.text.inputValue()).toContain('Uploading')
    await opened.text.fill('all new')
    release()
    await opened.text.evaluate((area) => area.setAttribute('maxlength', '9'))
    await opened.button('Insert').click()
    await opened.page.getByText('The text would be too long for this field.').first().waitFor()
    await opened.text.evaluate((area) => area.removeAttribute('maxlength'))
    await opened.button('Insert').click()
    expect(await opened.text.inputValue()).toMatch(/^all new\n\n!\[photo\]\(\/media\/\S+\)\n\n$/)
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
    expect(await page.locator('.md-editor-live').textContent()).toBe('Upload removed')
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

  it('keep running when the error of another file is dismissed by keyboard', async () => {
    const release = holdUploads(site.server)
    const opened = await site.open()
    const empty = { ...PHOTO, name: 'empty.png', buffer: Buffer.alloc(0) }
    await choose(opened, 'Paste, drop, or click to add files', [empty, PHOTO])
    await opened.button('Dismiss').focus()
    await opened.page.keyboard.press('Enter')
    expect(await opened.text.evaluate((element) => element === document.activeElement)).toBe(true)
    expect(await opened.button('Cancel the upload of photo.png').count()).toBe(1)
    release()
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
    expect(await opened.text.inputValue()).toBe('日![Uploading photo.png…]()\n\n')
    await session.send('Input.insertText', { text: '日本' })
    await expect
      .poll(() => opened.text.inputValue())
      .toMatch(/^日本!\[photo\]\(\/media\/\S+\)\n\n$/)
  })

  it('do not disturb a composition that directly follows another', async () => {
    const release = holdUploads(site.server)
    const opened = await site.open()
    await choose(opened, 'Image', [PHOTO])
    const compose = (...types: readonly string[]): Promise<void> =>
      opened.text.evaluate((field, names) => {
        for (const name of names) field.dispatchEvent(new Event(name, { bubbles: true }))
      }, types)
    await compose('compositionstart')
    const answered = opened.page.waitForResponse('**/upload')
    release()
    await (await answered).finished()
    await compose('compositionend', 'compositionstart')
    await opened.page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 50)))
    expect(await opened.text.inputValue()).toBe('![Uploading photo.png…]()\n\n')
    await compose('compositionend')
    await expect.poll(() => opened.text.inputValue()).toMatch(/^!\[photo\]\(\/media/)
  })
})
