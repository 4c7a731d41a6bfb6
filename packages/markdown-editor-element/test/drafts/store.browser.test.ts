import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { MarkdownEditorElement } from '../../src/element/index.ts'
import { formPage } from '../support/open-page.ts'
import { useTestSite } from '../support/test-site.ts'
import { countKept, ready } from './draft-page.ts'

const NAME = 'md-editor-drafts'

/** The texts of the drafts in the database, which is not made by looking at it. */
const storedTexts = (page: Page): Promise<string[]> =>
  page.evaluate(async (wanted) => {
    if (!(await indexedDB.databases()).some(({ name }) => name === wanted)) return []
    return new Promise<string[]>((resolve, reject) => {
      const opening = indexedDB.open(wanted)
      opening.onerror = () => reject(opening.error)
      opening.onsuccess = () => {
        const database = opening.result
        const reading = database.transaction('drafts').objectStore('drafts').getAll()
        reading.onsuccess = () => {
          database.close()
          resolve(reading.result.map(({ text }) => text))
        }
      }
    })
  }, NAME)

const deleteDatabase = (page: Page): Promise<void> =>
  page.evaluate(
    (name) =>
      new Promise<void>((resolve, reject) => {
        const deleting = indexedDB.deleteDatabase(name)
        deleting.onsuccess = () => resolve()
        deleting.onerror = () => reject(deleting.error)
      }),
    NAME,
  )

/** Puts drafts of ada into the database, each of another time from now on, in milliseconds. */
const store = (page: Page, later: readonly number[]): Promise<void> =>
  page.evaluate(
    ([name, times]) =>
      new Promise<void>((resolve, reject) => {
        const opening = indexedDB.open(name)
        opening.onsuccess = () => {
          const now = Date.now()
          const transaction = opening.result.transaction('drafts', 'readwrite')
          for (const [index, time] of times.entries()) {
            const about = { key: 'post/1', user: 'ada', base: '', sent: null, expires: now + 1e8 }
            transaction
              .objectStore('drafts')
              .put({ ...about, id: `${index}`, text: `${index}`, time: now + time })
          }
          transaction.onabort = () => reject(transaction.error)
          transaction.oncomplete = () => {
            opening.result.close()
            resolve()
          }
        }
      }),
    [NAME, later] as const,
  )

describe('the database of the drafts', () => {
  const site = useTestSite()
  const parts = { fields: { body: '' }, widget: { draft: { key: 'post/1', user: 'ada' } } }

  it('is made anew when another tab has deleted it', async () => {
    const { page, text } = await site.open(parts, {})
    await ready(page)
    await text.pressSequentially('one')
    await expect.poll(() => storedTexts(page)).toEqual(['one'])

    const other = await page.context().newPage()
    await other.goto(`${site.server.url}/form`)
    await deleteDatabase(other)
    await other.close()

    await text.pressSequentially(' two')
    await expect.poll(() => storedTexts(page)).toEqual(['one two'])
  })

  it('is tried again when it could not be opened, and notes are kept so long', async () => {
    const { page, text } = await site.open({ fields: { body: '' } }, {})
    // As a later version of the page would leave it.
    await page.evaluate(
      (name) =>
        new Promise((resolve) => {
          const opening = indexedDB.open(name, 2)
          opening.onsuccess = () => resolve(opening.result.close())
        }),
      NAME,
    )
    site.server.pages.set('/form', formPage(site.server, parts))
    await page.reload()
    await ready(page)
    await text.pressSequentially('one')
    const countNotes = (): Promise<number> =>
      page.evaluate(
        () => Object.keys(localStorage).filter((key) => key.startsWith('md-editor:draft:')).length,
      )
    await expect.poll(countNotes).toBe(1)

    await deleteDatabase(page)
    await text.pressSequentially(' two')
    await expect.poll(() => storedTexts(page)).toEqual(['one two'])
    expect(await countNotes()).toBe(0)
  })

  it('keeps what users have written when a field says of nobody whose it is', async () => {
    const { page, text } = await site.open(parts, {})
    await ready(page)
    await text.pressSequentially('of ada')
    await expect.poll(() => storedTexts(page)).toEqual(['of ada'])
    site.server.pages.set(
      '/feedback',
      formPage(site.server, { fields: { body: '' }, widget: { draft: { key: 'x' } } }),
    )
    const other = await page.context().newPage()
    await other.goto(`${site.server.url}/feedback`)
    await ready(other)
    await other.locator('textarea').pressSequentially('of anybody')
    await expect.poll(() => storedTexts(page)).toContain('of anybody')
    expect(await storedTexts(page)).toContain('of ada')
  })

  it('is cleared of drafts from a time that is still to come', async () => {
    const { page } = await site.open(parts, {})
    await ready(page)
    await store(page, [3_600_000])
    expect(await countKept(page)).toBe(1)
    await page.evaluate(async () => {
      const element = customElements.get('markdown-editor') as typeof MarkdownEditorElement
      await element.clearDrafts()
    })
    expect(await countKept(page)).toBe(0)
  })

  it('offers the newest fifty drafts of a field', async () => {
    const { page } = await site.open(parts, {})
    await ready(page)
    await store(
      page,
      Array.from({ length: 120 }, (_, index) => -1000 * (index + 1)),
    )
    await page.reload()
    await page
      .locator('.md-editor-drafts')
      .getByText(/\b49\b/)
      .waitFor()
  })
})
