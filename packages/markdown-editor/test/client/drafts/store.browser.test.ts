import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { formPage } from '../support/open-page.ts'
import { useTestSite } from '../support/test-site.ts'
import { ready } from './draft-page.ts'

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
      page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('md-editor:draft:')).length)
    await expect.poll(countNotes).toBe(1)

    await deleteDatabase(page)
    await text.pressSequentially(' two')
    await expect.poll(() => storedTexts(page)).toEqual(['one two'])
    expect(await countNotes()).toBe(0)
  })
})
