import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { choose, gate, PHOTO } from '../support/choose-files.ts'
import { formPage, type OpenPage } from '../support/open-page.ts'
import { store } from '../support/test-server.ts'
import { useTestSite } from '../support/test-site.ts'

const PLACEHOLDER = '![Uploading photo.png…]()'

describe('uploads of <markdown-editor> that a reload interrupted', () => {
  const site = useTestSite()

  /** Opens a page whose text has the placeholder of an upload that is not there. */
  const openInterrupted = (user: string): Promise<OpenPage> =>
    site.open(
      { fields: { body: `text ${PLACEHOLDER}` }, widget: { draft: { key: 'post-1', user } } },
      {},
    )
  /** How many files the browser keeps. */
  const kept = (page: Page): Promise<number> =>
    page.evaluate(
      () =>
        new Promise((resolve) => {
          const opening = indexedDB.open('md-editor-files')
          opening.onupgradeneeded = () => opening.transaction?.abort()
          opening.onerror = () => resolve(0)
          opening.onsuccess = () => {
            const counting = opening.result.transaction('files').objectStore('files').count()
            counting.onsuccess = () => {
              opening.result.close()
              resolve(counting.result)
            }
          }
        }),
    )
  /** Begins an upload, which the browser keeps, and leaves the page before it is through. */
  const interrupt = async (opened: OpenPage, draft: string): Promise<void> => {
    const held = gate()
    site.server.onUpload = async (file) => {
      await held.opened
      return store(file)
    }
    await opened.text.fill('')
    await choose(opened, 'Image', [PHOTO])
    await expect.poll(() => kept(opened.page)).toBe(1)
    site.server.reset()
    const parts = {
      fields: { body: `text ${PLACEHOLDER}` },
      widget: { draft: { key: 'post-1', user: draft } },
    }
    site.server.pages.set('/form', formPage(site.server, parts))
    await opened.page.reload()
    held.open()
  }

  it('go on with the file that the browser has kept, which is then forgotten', async () => {
    const opened = await site.open({ widget: { draft: { key: 'post-1', user: 'ada' } } }, {})
    await interrupt(opened, 'ada')
    await expect.poll(() => opened.text.inputValue()).toMatch(/^text !\[photo\]\(\/media\/\S+\)$/)
    expect(site.server.files.map(({ name }) => name)).toEqual(['photo.png'])
    await expect.poll(() => kept(opened.page)).toBe(0)
  })

  it('are not taken up by another user, who chooses the file or removes its place', async () => {
    const opened = await site.open({ widget: { draft: { key: 'post-1', user: 'ada' } } }, {})
    await interrupt(opened, 'grace')
    await opened.page.getByText('The upload of photo.png was interrupted.').first().waitFor()
    expect(await opened.text.inputValue()).toBe('text ![photo.png (not uploaded)]()')
    expect(site.server.files).toEqual([])
    await expect.poll(() => kept(opened.page)).toBe(0)
    await choose(opened, 'Choose the file again', [{ ...PHOTO, name: 'again.png' }])
    await expect.poll(() => opened.text.inputValue()).toMatch(/^text !\[again\]\(\/media\/\S+\)$/)
  })

  it('hold the form back until it is decided what becomes of them', async () => {
    const opened = await openInterrupted('ada')
    await opened.page.getByText('The upload of photo.png was interrupted.').first().waitFor()
    await opened.button('Publish').click()
    await opened.page
      .getByText('The form was not sent, because a file was not uploaded.')
      .first()
      .waitFor()
    await opened.button('Remove photo.png from the text').click()
    await expect.poll(() => opened.text.inputValue()).toBe('text ')
    await opened.button('Publish').click()
    await opened.page.waitForURL('**/save')
    expect(site.server.saved[0]?.get('body')).toBe('text ')
  })

  it('belong to the tab that is at them', async () => {
    const opened = await site.open({ widget: { draft: { key: 'post-1', user: 'ada' } } }, {})
    const held = gate()
    site.server.onUpload = async (file) => {
      await held.opened
      return store(file)
    }
    await choose(opened, 'Image', [PHOTO])
    await expect.poll(() => kept(opened.page)).toBe(1)
    const parts = {
      fields: { body: PLACEHOLDER },
      widget: { draft: { key: 'post-1', user: 'ada' } },
    }
    site.server.pages.set('/form', formPage(site.server, parts))
    const other = await opened.page.context().newPage()
    await other.goto(opened.page.url())
    await other.getByText('The upload of photo.png was interrupted.').first().waitFor()
    held.open()
    await expect.poll(() => opened.text.inputValue()).toContain('![photo](/media/')
    expect(site.server.files.length).toBe(1)
  })
})
