import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { bar, countKept, kept, offered, press, shown } from './draft-page.ts'
import { DRAFT_KEY, useDrafts } from './use-drafts.ts'

const parts = (
  title = '',
  tags = '<option>none<option>news',
): { before: string; widget: object } => ({
  before: `<input name="title" value="${title}"><input name="secret" type="password">
    <input name="shown" autocomplete="current-password"><input name="id" type="hidden">
    <select name="tags">${tags}</select><object name="note" type="text/plain" hidden></object>`,
  widget: {
    draft: {
      key: DRAFT_KEY,
      user: 'ada',
      fields: ['title', 'tags', 'secret', 'shown', 'id', 'note'],
    },
  },
})

const field = (page: Page, name: string): Promise<string> =>
  page.locator(`[name=${name}]`).inputValue()

const storage = (page: Page): Promise<string> =>
  page.evaluate(() => JSON.stringify({ ...localStorage }))

describe('drafts with other fields of the form', () => {
  const drafts = useDrafts()

  it('keep only a title, and restore it on request', async () => {
    const { page } = await drafts.open('', parts())
    await page.locator('[name=title]').pressSequentially('My first title')
    await page.locator('[name=tags]').selectOption('news')
    await kept(page).waitFor()
    await page.goto('about:blank')
    await page.goto(drafts.formUrl)
    await offered(page, 'There is a draft')
    expect(await field(page, 'title')).toBe('')
    expect(await bar(page).getByRole('button').allTextContents()).toEqual(['Restore', 'Discard'])
    await press(page, 'Restore')
    expect([await field(page, 'title'), await field(page, 'tags')]).toEqual([
      'My first title',
      'news',
    ])
    await page.reload()
    await expect.poll(() => countKept(page)).toBe(1)
  })

  it('exclude passwords and hidden fields', async () => {
    const { page, text } = await drafts.open('', parts())
    for (const name of ['secret', 'shown', 'id']) {
      await page.locator(`[name=${name}]`).evaluate((input: HTMLInputElement) => {
        input.value = 'hunter2'
        input.dispatchEvent(new Event('input', { bubbles: true }))
      })
    }
    await text.fill('typed')
    await page.evaluate(() => window.dispatchEvent(new Event('pagehide')))
    const noted = await storage(page)
    expect(noted).toContain('typed')
    expect(noted).not.toContain('hunter2')
  })

  it('restore the text, and report a title that the server has changed', async () => {
    const { page, text } = await drafts.open('old', parts('Old'))
    await text.fill('old and mine')
    await page.locator('[name=title]').fill('Mine')
    await page.locator('[name=tags]').selectOption('news')
    await kept(page).waitFor()
    await page.goto('about:blank')
    drafts.serve('old', parts('Newer', '<option>none'))
    await page.goto(drafts.formUrl)
    await press(page, 'Restore')
    await page.getByText('Not restored, because the field has changed: Mine').first().waitFor()
    expect([await shown(page), await field(page, 'title')]).toEqual(['old and mine', 'Newer'])
    expect(await field(page, 'tags')).toBe('none') // The option no longer exists.
    await press(page, 'Dismiss')
    expect(await page.locator('.md-editor-notice').isVisible()).toBe(false)
  })

  it.each([
    ['of a script that uses the same format are restored', [], 1],
    [
      'of a script that uses another format are not restored',
      [{ name: 'title', value: 7, base: '' }],
      0,
    ],
  ])('%s', async (_, fields, count) => {
    const { page } = await drafts.open('', parts())
    await page.evaluate(
      ([key, given]) => {
        const rest = { text: 'typed', base: '', time: Date.now(), expires: Date.now() + 1e6 }
        const draft = { id: 'a', key, user: 'ada', sent: null, ...rest, fields: given }
        localStorage.setItem('md-editor:draft:a', JSON.stringify(draft))
      },
      [DRAFT_KEY, fields] as const,
    )
    await page.reload()
    await expect.poll(() => countKept(page)).toBe(count)
    if (count === 1) await press(page, 'Restore')
    expect(await shown(page)).toBe(count === 1 ? 'typed' : '')
  })
})
