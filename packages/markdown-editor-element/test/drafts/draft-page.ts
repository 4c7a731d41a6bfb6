import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { OpenPage } from '../support/open-page.ts'

/** Where drafts are offered. */
export const bar = (page: Page): Locator => page.locator('.md-editor-drafts')

export const offered = (page: Page, text: string | RegExp): Promise<void> =>
  bar(page).getByText(text).waitFor()

/** What tells that the text is kept. */
export const kept = (page: Page): Locator => page.getByText(/^Draft saved/)

export const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click()

export const shown = (page: Page): Promise<string> => page.locator('textarea').first().inputValue()

/** Types, and leaves for another page as one does who forgets to save. */
export async function typeAndLeave({ page, text }: OpenPage, typed: string): Promise<void> {
  await text.pressSequentially(typed)
  await page.goto('about:blank')
}

/** The text in the field. */
export const textOf = (page: Page): Promise<string> =>
  page.evaluate(() => document.querySelector('textarea')?.value ?? '')

/** Waits until drafts are kept, which begins when the page is idle. */
export async function ready(page: Page): Promise<void> {
  const isReady = (): Promise<boolean> =>
    page.evaluate(async () => {
      const loaded = performance
        .getEntriesByType('resource')
        .some(({ name }) => /\/drafts-\w+\.js/.test(name))
      return loaded && (await indexedDB.databases()).length > 0
    })
  await expect.poll(isReady, { timeout: 15_000 }).toBe(true)
}

/** How many drafts the browser has, in both of its storages. */
export function countKept(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const notes = Object.keys(localStorage).filter((key) => key.startsWith('md-editor:draft:'))
    const names = await indexedDB.databases()
    if (!names.some(({ name }) => name === 'md-editor-drafts')) return notes.length
    const stored = await new Promise<IDBValidKey[]>((resolve, reject) => {
      const opening = indexedDB.open('md-editor-drafts')
      opening.onerror = () => reject(opening.error)
      opening.onsuccess = () => {
        const database = opening.result
        const reading = database.transaction('drafts').objectStore('drafts').getAllKeys()
        reading.onsuccess = () => {
          database.close()
          resolve(reading.result)
        }
      }
    })
    return new Set([
      ...notes.map((key) => key.slice('md-editor:draft:'.length)),
      ...stored.map(String),
    ]).size
  })
}

/** What the browser keeps of a draft. */
export interface KeptDraft {
  readonly key: string
  readonly text: string
  readonly base: string
}

/** The drafts in the database whose names begin so, by their names. */
export function keptDrafts(page: Page, prefix: string): Promise<KeptDraft[]> {
  return page.evaluate(
    (start) =>
      new Promise<KeptDraft[]>((resolve, reject) => {
        const opening = indexedDB.open('md-editor-drafts')
        opening.onerror = () => reject(opening.error)
        opening.onsuccess = () => {
          const database = opening.result
          const reading = database
            .transaction('drafts')
            .objectStore('drafts')
            .getAll() as IDBRequest<KeptDraft[]>
          reading.onsuccess = () => {
            database.close()
            const kept = reading.result.filter(({ key }) => key.startsWith(start))
            resolve(
              kept
                .map(({ key, text, base }) => ({ key, text, base }))
                .sort((one, other) => one.key.localeCompare(other.key)),
            )
          }
        }
      }),
    prefix,
  )
}
