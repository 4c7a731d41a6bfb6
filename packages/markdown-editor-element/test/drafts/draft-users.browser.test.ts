import { describe, expect, it } from 'vitest'
import { formPage } from '../support/open-page.ts'
import {
  bar,
  clearDrafts,
  countKept,
  kept,
  offered,
  press,
  shown,
  typeAndLeave,
} from './draft-page.ts'
import { DRAFT_KEY, useDrafts } from './use-drafts.ts'

describe('drafts of several tabs and users', () => {
  const drafts = useDrafts()

  it('of two tabs do not overwrite each other: both are offered, one after the other', async () => {
    const first = await drafts.open('')
    const context = first.page.context()
    const second = await drafts.openAgain(context)
    await first.text.pressSequentially('of the first')
    await second.locator('textarea').pressSequentially('of the second')
    await kept(first.page).waitFor()
    await kept(second).waitFor()
    await second.close()
    await first.page.goto('about:blank')
    await first.page.goto(drafts.formUrl)
    await offered(first.page, 'There is a draft')
    // The bar offers no comparison for an empty field.
    expect(await bar(first.page).getByRole('button').allTextContents()).toEqual([
      'Restore',
      'Discard',
    ])
    await press(first.page, 'Restore')
    const restored = await shown(first.page)
    await offered(first.page, 'The text has changed since then.')
    await press(first.page, 'Compare')
    const dialog = first.page.getByRole('dialog')
    const texts = [restored, await dialog.getByLabel('Your draft', { exact: true }).inputValue()]
    expect(texts.toSorted()).toEqual(['of the first', 'of the second'])
    await press(first.page, 'Cancel')
    await press(first.page, 'Discard')
    await press(first.page, 'Dismiss')
    await expect.poll(() => countKept(first.page)).toBe(1) // Only the restored text has a draft.
  })

  it('are never shown to another user, and are removed when another user appears', async () => {
    const opened = await drafts.open('')
    const { page } = opened
    await typeAndLeave(opened, 'a secret')
    drafts.serve('', { widget: { draft: { key: DRAFT_KEY, user: 'eve' } } })
    await page.goto(drafts.formUrl)
    await page.waitForLoadState('networkidle')
    await expect.poll(() => countKept(page)).toBe(0)
    expect(await bar(page).count()).toBe(0)
  })

  it('are removed on sign-out, even those of open tabs', async () => {
    // A field hides the property of the form that has its name.
    const signOut = `</form><form action="/save" method="post" data-md-editor-clear-drafts>
      <input name="closest" type="hidden"><button>Sign out</button>`
    const first = await drafts.open('', { before: '' })
    const context = first.page.context()
    await first.text.pressSequentially('of the first')
    await kept(first.page).waitFor()
    drafts.server.pages.set('/account', formPage(drafts.server, { fields: {}, before: signOut }))
    const second = await context.newPage()
    await second.goto(`${drafts.server.url}/account`)
    await second.waitForLoadState('networkidle')
    await press(second, 'Sign out')
    await second.waitForURL('**/save')
    await kept(first.page).waitFor({ state: 'detached' })
    await first.text.pressSequentially(' and more')
    await first.page.goto('about:blank')
    await first.page.goto(drafts.formUrl)
    await first.page.waitForLoadState('networkidle')
    expect(await bar(first.page).count()).toBe(0)
    expect(await countKept(first.page)).toBe(0)
  })

  it('are no longer offered or saved by an open editor when a script of its page clears them', async () => {
    const opened = await drafts.open('')
    const { page, text } = opened
    await typeAndLeave(opened, 'a secret')
    await page.goto(drafts.formUrl)
    await offered(page, 'There is a draft')
    await text.pressSequentially('more')
    await kept(page).waitFor()
    expect(await countKept(page)).toBe(2)
    await press(page, 'Restore')
    await page.getByRole('dialog').waitFor()
    await clearDrafts(page)
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(await bar(page).count()).toBe(0)
    expect(await kept(page).count()).toBe(0)
    expect(await countKept(page)).toBe(0)
  })

  it('are kept if the page prevents the sign-out, and removed when its script clears them', async () => {
    const signOut = '</form><form id="out" data-md-editor-clear-drafts><button>Sign out</button>'
    const { page, text } = await drafts.open('', { before: '' })
    drafts.server.pages.set('/account', formPage(drafts.server, { fields: {}, before: signOut }))
    await text.pressSequentially('mine')
    await kept(page).waitFor()
    await page.goto(`${drafts.server.url}/account`)
    await page.waitForLoadState('networkidle')
    await page.evaluate(() =>
      document.forms.namedItem('out')?.addEventListener('submit', (out) => out.preventDefault()),
    )
    await press(page, 'Sign out')
    expect(await countKept(page)).toBe(1)
    await clearDrafts(page)
    expect(await countKept(page)).toBe(0)
    await page.goto(drafts.formUrl)
    await page.waitForLoadState('networkidle')
    expect(await bar(page).count()).toBe(0)
  })
})
