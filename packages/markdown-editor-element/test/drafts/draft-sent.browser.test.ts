import { describe, expect, it } from 'vitest'
import { renderSaved } from '../../../markdown-editor/src/widget/draft.ts'
import type { MarkdownEditorElement } from '../../src/element/index.ts'
import { formPage } from '../support/open-page.ts'
import { bar, countKept, kept, offered, press, shown } from './draft-page.ts'
import { DRAFT_KEY, draftParts, useDrafts } from './use-drafts.ts'

describe('drafts of a submitted text', () => {
  const drafts = useDrafts()

  it('are kept until the server is known to have stored the text (F21)', async () => {
    const opened = await drafts.open('')
    const { page, text } = opened
    drafts.server.onSave = () => ({ status: 500, html: 'broken' })
    await text.pressSequentially('precious')
    await press(page, 'Publish')
    await page.waitForURL('**/save')
    await page.goto(drafts.formUrl)
    await offered(page, 'There is a draft')
    await press(page, 'Restore')
    expect(await shown(page)).toBe('precious')
    drafts.server.onSave = (fields) => {
      drafts.serve(fields.get('body') ?? '')
      return { status: 303, location: '/form?saved' }
    }
    await press(page, 'Publish')
    await page.waitForURL('**/form?saved')
    const reopen = async (): Promise<number> => {
      await page.goto(drafts.formUrl)
      await page.waitForLoadState('networkidle')
      return countKept(page)
    }
    await expect.poll(reopen, { timeout: 9000 }).toBe(0)
    expect(await bar(page).count()).toBe(0)
  })

  it('are kept when the form is shown again, for example after an error in another field (F21)', async () => {
    const opened = await drafts.open('old')
    const { page, text } = opened
    drafts.server.onSave = (fields) => ({
      status: 200,
      html: formPage(drafts.server, draftParts(fields.get('body') ?? '')),
    })
    await text.fill('refused')
    await press(page, 'Publish')
    await page.waitForURL('**/save')
    await expect.poll(() => countKept(page)).toBe(1)
    await page.locator('.md-editor-header').waitFor()
    expect(await shown(page)).toBe('refused')
    await page.goto(drafts.formUrl)
    await offered(page, 'There is a draft')
    await press(page, 'Restore')
    expect(await shown(page)).toBe('refused')
  })

  it('are removed immediately when the answer says that the text is saved', async () => {
    const { page, text } = await drafts.open('')
    drafts.server.onSave = () => ({ status: 303, location: '/thanks' })
    const blank = formPage(drafts.server, draftParts(''))
    drafts.server.pages.set(
      '/thanks',
      blank.replace('</head>', `${renderSaved('other', DRAFT_KEY)}</head>`),
    )
    await text.pressSequentially('a new one')
    await kept(page).waitFor()
    await press(page, 'Publish')
    await page.waitForURL('**/thanks')
    await expect.poll(() => countKept(page)).toBe(0)
    await page.goto(drafts.formUrl)
    await page.locator('.md-editor-header').waitFor()
    expect(await bar(page).count()).toBe(0)
  })

  it('are kept when the user leaves before the answer, whatever the other page says', async () => {
    const { page, text } = await drafts.open('old')
    const record = formPage(drafts.server, draftParts(''))
    drafts.server.pages.set(
      '/record',
      record.replace('</head>', `${renderSaved(DRAFT_KEY)}</head>`),
    )
    await page.route('**/save', () => {}) // The server never answers.
    await text.fill('precious')
    await kept(page).waitFor()
    await page.evaluate(() => {
      document.querySelector('form')?.requestSubmit()
      setTimeout(() => location.assign('/record'), 2500)
    })
    await page.waitForURL('**/record')
    await offered(page, 'There is a draft')
  })

  it('are removed when the application reports that the text is saved', async () => {
    const { page, text } = await drafts.open('')
    await text.pressSequentially('sent by script')
    await kept(page).waitFor()
    await page
      .locator('markdown-editor')
      .evaluate((element: MarkdownEditorElement) => element.clearDraft())
    expect(await countKept(page)).toBe(0)
    await page.locator('form').evaluate((form: HTMLFormElement) => form.reset())
    await page.goto('about:blank')
    await page.goto(drafts.formUrl)
    await page.waitForLoadState('networkidle')
    expect(await bar(page).count()).toBe(0)
  })
})
