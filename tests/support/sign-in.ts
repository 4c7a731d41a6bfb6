import type { Page } from 'playwright-core'

/** Signs in with the form, and waits for the posts. */
export async function signIn(page: Page, username = 'ada'): Promise<void> {
  await page.goto('/login')
  await page.getByLabel('User name').fill(username)
  await page.getByLabel('Password').fill('quillgate')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL((url) => url.pathname === '/')
}
