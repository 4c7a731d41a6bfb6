import { describe, expect, it } from 'vitest'
import type { PageParts } from '../support/open-page.ts'
import { bar, countKept, kept, offered, press, shown, textOf, typeAndLeave } from './draft-page.ts'
import { DRAFT_KEY, useDrafts } from './use-drafts.ts'

describe('drafts', () => {
  const drafts = useDrafts()

  it('are offered, and restored as one undo step only on request (F21)', async () => {
    const opened = await drafts.open('server')
    const { page, text } = opened
    await text.press('ControlOrMeta+End')
    await typeAndLeave(opened, ' and -- more')
    await page.goto(drafts.formUrl)
    await offered(page, /^There is a draft from .+\.$/)
    expect(await shown(page)).toBe('server')
    const spoken = page.locator('.md-editor-live')
    expect(await spoken.textContent()).toMatch(/^There is a draft from .+\.$/)
    await press(page, 'Restore')
    expect(await shown(page)).toBe('server and -- more')
    expect(await spoken.textContent()).toBe('The draft was restored.')
    await bar(page).waitFor({ state: 'detached' })
    await page.keyboard.press('ControlOrMeta+z')
    expect(await shown(page)).toBe('server')
    await page.keyboard.press('ControlOrMeta+Shift+z')
    expect(await shown(page)).toBe('server and -- more')
  })

  it('show the end of a restored text, where the caret is', async () => {
    const viewport = { width: 360, height: 740 }
    const opened = await drafts.open('', {}, { viewport, hasTouch: true, isMobile: true })
    const { page, text } = opened
    await text.fill('A line.\n\n'.repeat(60))
    await page.goto('about:blank')
    await page.goto(drafts.formUrl)
    await press(page, 'Restore')
    const hidden = (): Promise<number> =>
      text.evaluate((field) => field.scrollHeight - field.scrollTop - field.clientHeight)
    await expect.poll(hidden).toBeLessThan(30)
    expect(await opened.spoken()).toBe('The draft was restored.')
    expect(await opened.selected()).toBe('')
  })

  it('are saved a second after the last key, so that a crash loses no more', async () => {
    const { page, text } = await drafts.open('')
    await text.pressSequentially('before the crash')
    await kept(page).waitFor()
    const context = page.context()
    const session = await context.newCDPSession(page)
    session.send('Page.crash').catch(() => {})
    await page.waitForEvent('crash')
    const again = await drafts.openAgain(context)
    await offered(again, 'There is a draft')
    await press(again, 'Restore')
    expect(await shown(again)).toBe('before the crash')
  })

  it('can be restored after they are discarded', async () => {
    const opened = await drafts.open('')
    const { page } = opened
    await typeAndLeave(opened, 'oops')
    await page.goto(drafts.formUrl)
    await press(page, 'Discard')
    await offered(page, 'The draft was discarded.')
    expect(await countKept(page)).toBe(0)
    await bar(page).getByRole('button', { name: 'Undo' }).click()
    await press(page, 'Restore')
    expect(await shown(page)).toBe('oops')
  })

  it('report once that the storage is full, and do not change the text', async () => {
    const { page, text } = await drafts.open('')
    await page.evaluate(() => {
      Storage.prototype.setItem = () => {
        throw new DOMException('full', 'QuotaExceededError')
      }
    })
    await text.pressSequentially('still here')
    await page.locator('.md-editor-status').getByText('Drafts cannot be saved').waitFor()
    const spoken = page.locator('.md-editor-live')
    expect(await spoken.textContent()).toBe('Drafts cannot be saved in this browser.')
    await spoken.evaluate((element) => element.replaceChildren())
    await page.evaluate(() => window.dispatchEvent(new Event('pagehide')))
    expect(await spoken.textContent()).toBe('')
    expect(await shown(page)).toBe('still here')
  })

  it('of a megabyte are saved and restored', { timeout: 60_000 }, async () => {
    const long = 'A line of some words.\n'.repeat(50_000)
    const opened = await drafts.open('')
    const { page, text } = opened
    page.context().setDefaultTimeout(20_000)
    await text.evaluate((element: HTMLTextAreaElement, value) => {
      element.value = value
      element.dispatchEvent(new Event('input', { bubbles: true }))
    }, long)
    await kept(page).waitFor()
    await page.goto('about:blank')
    await page.goto(drafts.formUrl)
    await offered(page, 'There is a draft')
    await press(page, 'Restore')
    await expect
      .poll(async () => (await textOf(page)).length, { timeout: 20_000 })
      .toBe(long.length)
    expect((await textOf(page)) === long).toBe(true)
  })

  it('are kept when a form is reset', async () => {
    const { page, text } = await drafts.open('')
    await text.pressSequentially('typed')
    await page.locator('form').evaluate((form: HTMLFormElement) => form.reset())
    await page.goto('about:blank')
    await page.goto(drafts.formUrl)
    await press(page, 'Restore')
    expect(await shown(page)).toBe('typed')
  })

  it.each<[string, PageParts]>([
    ['without a key', { widget: {} }],
    ['read-only', { widget: { draft: DRAFT_KEY, attrs: { readonly: true } } }],
    ['disabled', { widget: { draft: DRAFT_KEY, attrs: { disabled: true } } }],
    ['with autocomplete="off"', { widget: { draft: DRAFT_KEY, attrs: { autocomplete: 'off' } } }],
  ])('are not saved for a field %s', async (_, parts) => {
    const { page } = await drafts.open('', parts)
    await page.waitForLoadState('networkidle')
    await page.locator('textarea').evaluate((element: HTMLTextAreaElement) => {
      element.value = 'typed'
      element.dispatchEvent(new Event('input', { bubbles: true }))
    })
    await page.goto(`${drafts.server.url}/nothing`)
    expect(await countKept(page)).toBe(0)
  })
})
