import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { signIn } from '../support/sign-in.ts'
import { useDemo } from '../support/use-demo.ts'

describe('two tabs with one post of the demo', { timeout: 60_000 }, () => {
  const site = useDemo()
  const text = (page: Page) => page.getByRole('textbox', { name: 'Text' })
  const save = (page: Page): Promise<void> =>
    page.getByRole('button', { name: 'Save', exact: true }).click()

  it('never overwrite what the other tab has saved without asking', async () => {
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

  it('accept a form once that is sent twice, and reject an invalid version', async () => {
    const page = await site.newPage()
    await signIn(page)
    await page.goto('/posts/new')
    await page.getByLabel('Title').fill('Sent')
    await text(page).fill('first')
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('heading', { name: 'Sent' }).waitFor()
    const edit = `${new URL(page.url()).pathname}/edit`
    await page.goto(edit)
    const fieldValue = (name: string): Promise<string> =>
      page.locator(`form.post-form [name=${name}]`).inputValue()
    const form = {
      csrf_token: await fieldValue('csrf_token'),
      title: 'Sent',
      version: await fieldValue('version'),
    }
    const send = async (fields: Record<string, string>): Promise<number> => {
      const options = {
        form: { ...form, ...fields },
        headers: { origin: site.demo.url },
        maxRedirects: 0,
      }
      return (await page.request.post(edit, options)).status()
    }

    expect(await send({ body: 'second' })).toBe(303)
    expect(await send({ body: 'second' })).toBe(303)
    expect(await send({ body: 'third' })).toBe(409)
    expect(await send({ body: 'third', version: 'x' })).toBe(409)
    await page.goto(edit)
    expect(await text(page).inputValue()).toBe('second')
  })
})
