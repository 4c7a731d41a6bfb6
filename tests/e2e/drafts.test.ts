import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { signIn } from '../support/sign-in.ts'
import { useDemo } from '../support/use-demo.ts'

describe('drafts in the demo', () => {
  const site = useDemo()

  async function open(): Promise<Page> {
    const page = await site.newPage()
    await signIn(page)
    return page
  }

  const write = async (page: Page, text: string): Promise<void> => {
    await page.goto('/posts/new')
    await page.getByLabel('Title').fill('A draft')
    await page.getByRole('textbox', { name: 'Text' }).fill(text)
    await page.getByText(/^Draft saved/).waitFor()
  }
  const kept = (page: Page): Promise<number> =>
    page.evaluate(
      () => Object.keys(localStorage).filter((key) => key.startsWith('md-editor:draft:')).length,
    )

  it('are offered until the post is saved', { timeout: 60_000 }, async () => {
    const page = await open()
    await write(page, 'half a post')
    await page.goto('/')
    await page.goto('/posts/new')
    await page
      .getByText(/^There is a draft from .+\.$/)
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Restore' }).click()
    await expect.poll(() => page.getByLabel('Title').inputValue()).toBe('A draft')
    await page.getByLabel('Title').fill('Whole')
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('heading', { name: 'Whole' }).waitFor()
    await expect.poll(() => kept(page)).toBe(0)
  })

  it('are cleared by a sign-out on any page', async () => {
    const page = await open()
    await write(page, 'not for the next one')
    await page.goto('/devices')
    await page.waitForLoadState('networkidle')
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.waitForURL('**/login')
    expect(await kept(page)).toBe(0)
  })
})
