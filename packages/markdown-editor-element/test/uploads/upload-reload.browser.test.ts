import { describe, expect, it } from 'vitest'
import { choose, holdUploads, PHOTO } from '../support/choose-files.ts'
import type { OpenPage } from '../support/open-page.ts'
import { useTestSite } from '../support/test-site.ts'

const PLACEHOLDER = '![Uploading photo.png…]()'

describe('uploads of <markdown-editor> interrupted by a reload', () => {
  const site = useTestSite()

  /** Opens a page whose text contains the placeholder of an upload that no longer exists. */
  const openInterrupted = (user: string): Promise<OpenPage> =>
    site.open(
      { fields: { body: `text ${PLACEHOLDER}` }, widget: { draft: { key: 'post-1', user } } },
      {},
    )
  it('ask for the file again', async () => {
    const opened = await openInterrupted('ada')
    await opened.page.getByText('The upload of photo.png was interrupted.').first().waitFor()
    expect(await opened.text.inputValue()).toBe('text ![Uploading photo.png…]()')
    await choose(opened, 'Choose the file again', [{ ...PHOTO, name: 'again.png' }])
    await expect.poll(() => opened.text.inputValue()).toMatch(/^text !\[again\]\(\/media\/\S+\)$/)
  })

  it('block the form until they are resolved', async () => {
    const opened = await openInterrupted('ada')
    await opened.page.getByText('The upload of photo.png was interrupted.').first().waitFor()
    await opened.button('Publish').click()
    await opened.page
      .getByText('The form was not sent, because a file was not uploaded.')
      .first()
      .waitFor()
    await opened.button('Remove photo.png from the text').click()
    await expect.poll(() => opened.text.inputValue()).toBe('text')
    await opened.button('Publish').click()
    await opened.page.waitForURL('**/save')
    expect(site.server.saved[0]?.get('body')).toBe('text')
  })

  it('are all removed if the form is sent without them', async () => {
    const many = Array.from({ length: 120 }, (_, index) => `![Uploading ${index}.png…]()`)
    const opened = await site.open({ fields: { body: `text\n\n${many.join('\n\n')}` } })
    await opened.page.getByText('was interrupted.').first().waitFor()
    await opened.button('Publish').click()
    await opened.button('Send without the files').click()
    await opened.page.waitForURL('**/save')
    expect(site.server.saved[0]?.get('body')?.trim()).toBe('text')
  })

  it('ask for the file also while other files are uploaded', async () => {
    const release = holdUploads(site.server)
    const opened = await site.open()
    await choose(opened, 'Image', [PHOTO, PHOTO, PHOTO])
    await opened.text.fill(`${await opened.text.inputValue()}![Uploading old.png…]()`)
    await choose(opened, 'Image', [PHOTO])
    await opened.page.getByText('The upload of old.png was interrupted.').first().waitFor()
    release()
  })
})
