import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { MarkdownEditorElement } from '../../src/element/index.ts'
import type { OpenPage } from '../support/open-page.ts'

export const bar = (page: Page): Locator => page.locator('.md-editor-drafts')

export const offered = (page: Page, text: string | RegExp): Promise<void> =>
  bar(page).getByText(text).waitFor()

export const kept = (page: Page): Locator => page.getByText(/^Draft saved/)

export const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click()

export const shown = (page: Page): Promise<string> => page.locator('textarea').first().inputValue()

export async function typeAndLeave({ page, text }: OpenPage, typed: string): Promise<void> {
  await text.pressSequentially(typed)
  await page.goto('about:blank')
}

export const textOf = (page: Page): Promise<string> =>
  page.evaluate(() => document.querySelector('textarea')?.value ?? '')

/** Waits until the script for drafts is loaded. The page loads this script when it is idle. */
export async function ready(page: Page): Promise<void> {
  const isReady = (): Promise<boolean> =>
    page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .some(({ name, duration }) => duration > 0 && /\/drafts-\w+\.js/.test(name)),
    )
  await expect.poll(isReady, { timeout: 15_000 }).toBe(true)
}

export function countKept(page: Page): Promise<number> {
  return page.evaluate(
    () => Object.keys(localStorage).filter((key) => key.startsWith('md-editor:draft:')).length,
  )
}

export function clearDrafts(page: Page): Promise<void> {
  return page.evaluate(async () => {
    const element = customElements.get('markdown-editor') as typeof MarkdownEditorElement
    await element.clearDrafts()
  })
}

export interface KeptDraft {
  readonly key: string
  readonly text: string
  readonly base: string
}

export async function keptDrafts(page: Page, prefix: string): Promise<KeptDraft[]> {
  const stored = await page.evaluate(() => Object.entries({ ...localStorage }))
  return stored
    .filter(([key]) => key.startsWith('md-editor:draft:'))
    .map(([, json]) => JSON.parse(String(json)) as KeptDraft)
    .filter(({ key }) => key.startsWith(prefix))
    .map(({ key, text, base }) => ({ key, text, base }))
    .sort((one, other) => one.key.localeCompare(other.key))
}
