import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { signIn } from '../support/sign-in.ts'
import { useDemo } from '../support/use-demo.ts'

describe('two tabs with one post of the demo', { timeout: 60_000 }, () => {
  const site = useDemo()
  const text = (page: Page) => page.getByRole('textbox', { name: 'Text' })
  const save = (page: Page): Promise<void> => page.getByRole('button', { name: 'Save', exact: true }).click()

  it('never replace what the other has saved unasked', async () => {
    const first = await site.newPage()
    await signIn(first)
    await first.goto('/posts/new')
    await first.getByLabel('Title').fill('Shared')
    await text(first).fill('the first text')
    await first.getByRole('button', { name: 'Publish' }).click()
    await first.getByRole('heading', { name: 'Shared' }).waitFor()
    const post = new URL(first.url()).pathname
    const second = await first.context().newPage()
    for (const page of [first, second]) await page.goto(`${post}/edit`)
    await text(first).fill('of the first tab')
    await text(second).fill('of the second tab')
    await save(first)
    await first.waitForURL(`**${post}`)

    await save(second)
    await second.getByRole('alert').getByText('Nothing was overwritten').waitFor()
    expect(await text(second).inputValue()).toBe('of the second tab')
    const [saved] = await Promise.all([
      second.waitForEvent('popup'),
      second.getByRole('link', { name: 'Show what is saved' }).click(),
    ])
    await saved.getByText('of the first tab').waitFor()
    await save(second)
    await second.waitForURL(`**${post}`)
    await second.getByText('of the second tab').waitFor()
  })
})
