import type { BrowserContext, Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { MarkdownEditorElement } from '../../../src/client/index.ts'
import { renderSaved } from '../../../src/widget/index.ts'
import { formPage, type OpenPage, type PageParts } from '../support/open-page.ts'
import { useTestSite } from '../support/test-site.ts'
import { countKept, ready, textOf } from './draft-page.ts'

const KEY = 'post/1/body'

describe('drafts', () => {
  const site = useTestSite()

  const partsOf = (body: string, parts: PageParts = {}): PageParts => ({
    fields: { body },
    widget: { draft: { key: KEY, user: 'ada' } },
    ...parts,
  })
  /** Opens the form in a browser of its own, that has no drafts yet. */
  const open = async (body: string, parts: PageParts = {}): Promise<OpenPage> => {
    const opened = await site.open(partsOf(body, parts), {})
    opened.page.context().setDefaultTimeout(15_000)
    if (parts.widget === undefined) await ready(opened.page)
    return opened
  }
  /** What the server puts into the form from now on. */
  const serve = (body: string, parts: PageParts = {}): void => {
    site.server.pages.set('/form', formPage(site.server, partsOf(body, parts)))
  }
  const formUrl = (): string => `${site.server.url}/form`
  const bar = (page: Page): Locator => page.locator('.md-editor-drafts')
  const offered = async (page: Page, text: string | RegExp): Promise<void> => bar(page).getByText(text).waitFor()
  const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click()
  const shown = (page: Page): Promise<string> => page.locator('textarea').first().inputValue()
  const kept = (page: Page): Locator => page.getByText(/^Draft saved/)
  /** Types, and leaves for another page as one does who forgets to save. */
  const typeAndLeave = async ({ page, text }: OpenPage, typed: string): Promise<void> => {
    await text.pressSequentially(typed)
    await page.goto('about:blank')
  }

  it('F21: are offered, put in as one step when asked, and not by themselves', async () => {
    const opened = await open('server')
    const { page, text } = opened
    await text.press('ControlOrMeta+End')
    await typeAndLeave(opened, ' and more')
    await page.goto(formUrl())
    await offered(page, /^There is a draft from .+ \(3 words\)\.$/)
    expect(await shown(page)).toBe('server')
    await press(page, 'Restore')
    expect(await shown(page)).toBe('server and more')
    await bar(page).waitFor({ state: 'detached' })
    await page.keyboard.press('ControlOrMeta+z')
    expect(await shown(page)).toBe('server')
    await page.keyboard.press('ControlOrMeta+Shift+z')
    expect(await shown(page)).toBe('server and more')
  })

  it('are kept a second after the last key, so that a crash loses no more', async () => {
    const { page, text } = await open('')
    await text.pressSequentially('before the crash')
    await kept(page).waitFor()
    const context = page.context()
    const session = await context.newCDPSession(page)
    session.send('Page.crash').catch(() => {})
    await page.waitForEvent('crash')
    const again = await openAgain(context)
    await offered(again, /3 words/)
    await press(again, 'Restore')
    expect(await shown(again)).toBe('before the crash')
  })

  it('F21: that meet a newer text of the server are merged with it, never laid over it', async () => {
    const opened = await open('one\n\ntwo\n\nthree')
    const { page, text } = opened
    await text.press('ControlOrMeta+End')
    await typeAndLeave(opened, ' of mine')
    serve('one of theirs\n\ntwo\n\nthree')
    await page.goto(formUrl())
    await offered(page, /The text has changed since then\.$/)
    expect(await bar(page).getByRole('button', { name: 'Restore' }).count()).toBe(0)
    await press(page, 'Compare')
    const dialog = page.getByRole('dialog', { name: 'Compare the draft' })
    expect(await dialog.getByLabel('Your draft').inputValue()).toBe('one\n\ntwo\n\nthree of mine')
    expect(await dialog.getByLabel('The present text').inputValue()).toBe('one of theirs\n\ntwo\n\nthree')
    await press(page, 'Cancel')
    expect(await shown(page)).toBe('one of theirs\n\ntwo\n\nthree')
    await press(page, 'Compare')
    await press(page, 'Use this text')
    expect(await shown(page)).toBe('one of theirs\n\ntwo\n\nthree of mine')
    await page.keyboard.press('ControlOrMeta+z')
    expect(await shown(page)).toBe('one of theirs\n\ntwo\n\nthree')
  })

  it('F21: show what both changed, and take mine, theirs, both, or what is written', async () => {
    const opened = await open('a\nfox\nz')
    const { page, text } = opened
    await text.fill('a\ncat\nz')
    await page.goto('about:blank')
    serve('a\ndog\nz')
    await page.goto(formUrl())
    await press(page, 'Compare')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('One place was changed in both versions.').waitFor()
    const result = dialog.getByLabel('Merged text')
    expect(await result.inputValue()).toBe('a\ncat\ndog\nz')
    const place = dialog.getByRole('group', { name: 'Place 1' })
    await place.getByLabel('Your draft').check()
    expect(await result.inputValue()).toBe('a\ncat\nz')
    await place.getByLabel('The present text').check()
    expect(await result.inputValue()).toBe('a\ndog\nz')
    await result.fill('a\nby hand\nz')
    expect(await place.getByLabel('Your draft').isDisabled()).toBe(true)
    await press(page, 'Use this text')
    expect(await shown(page)).toBe('a\nby hand\nz')
    await press(page, 'Save draft')
    await page.waitForURL('**/save')
    expect(site.server.saved[0]?.getAll('body')).toEqual(['a\nby hand\nz'.replaceAll('\n', '\r\n')])
    expect([...(site.server.saved[0]?.keys() ?? [])]).toEqual(['csrf_token', 'body', 'action'])
  })

  it('F21: stay until the server is known to have the text', async () => {
    const opened = await open('')
    const { page, text } = opened
    site.server.onSave = () => ({ status: 500, html: 'broken' })
    await text.pressSequentially('precious')
    await press(page, 'Publish')
    await page.waitForURL('**/save')
    await page.goto(formUrl())
    await offered(page, /^This text was sent at .+\. It may not have arrived\.$/)
    await press(page, 'Restore')
    expect(await shown(page)).toBe('precious')
    site.server.onSave = (fields) => {
      serve(fields.get('body') ?? '')
      return { status: 303, location: '/form?saved' }
    }
    await press(page, 'Publish')
    await page.waitForURL('**/form?saved')
    const reopen = async (): Promise<number> => {
      await page.goto(formUrl())
      await page.waitForLoadState('networkidle')
      return countKept(page)
    }
    await expect.poll(reopen, { timeout: 9000 }).toBe(0)
    expect(await bar(page).count()).toBe(0)
  })

  it('F21: stay when the form comes back with the text, as after a mistake in another field', async () => {
    const opened = await open('old')
    const { page, text } = opened
    site.server.onSave = (fields) => ({
      status: 200,
      html: formPage(site.server, partsOf(fields.get('body') ?? '')),
    })
    await text.fill('refused')
    await press(page, 'Publish')
    await page.waitForURL('**/save')
    await expect.poll(() => countKept(page)).toBe(1)
    await page.locator('.md-editor-header').waitFor()
    expect(await shown(page)).toBe('refused')
    await page.goto(formUrl())
    await offered(page, /\(1 word\)|was sent at/)
    await press(page, 'Restore')
    expect(await shown(page)).toBe('refused')
  })

  it('go at once when the page that answers the form says so', async () => {
    const { page, text } = await open('')
    site.server.onSave = () => ({ status: 303, location: '/thanks' })
    const blank = formPage(site.server, partsOf(''))
    site.server.pages.set('/thanks', blank.replace('</head>', `${renderSaved('other', KEY)}</head>`))
    await text.pressSequentially('a new one')
    await kept(page).waitFor()
    await press(page, 'Publish')
    await page.waitForURL('**/thanks')
    await expect.poll(() => countKept(page)).toBe(0)
    await page.goto(formUrl())
    await page.locator('.md-editor-header').waitFor()
    expect(await bar(page).count()).toBe(0)
  })

  it('of two tabs do not fight: both are offered, one after the other', async () => {
    const first = await open('')
    const context = first.page.context()
    const second = await openAgain(context)
    await first.text.pressSequentially('of the first')
    await second.locator('textarea').pressSequentially('of the second')
    await kept(first.page).waitFor()
    await kept(second).waitFor()
    const third = await openAgain(context)
    await third.waitForLoadState('networkidle')
    expect(await bar(third).count()).toBe(0) // They are being written.
    await third.close()
    await second.close()
    await first.page.goto('about:blank')
    await first.page.goto(formUrl())
    await offered(first.page, /There is another one\./)
    const texts: string[] = []
    await press(first.page, 'Compare')
    texts.push(await first.page.getByRole('dialog').getByLabel('Your draft').inputValue())
    await press(first.page, 'Cancel')
    await press(first.page, 'Discard')
    await press(first.page, 'Dismiss')
    await offered(first.page, /There is a draft/)
    // With nothing in the field there is nothing to compare the last one with.
    expect(await bar(first.page).getByRole('button').allTextContents()).toEqual(['Restore', 'Discard'])
    await press(first.page, 'Restore')
    texts.push(await shown(first.page))
    expect(texts.toSorted()).toEqual(['of the first', 'of the second'])
    await expect.poll(() => countKept(first.page)).toBe(1) // What is in the field.
  })

  it('that were discarded come back at a word', async () => {
    const opened = await open('')
    const { page } = opened
    await typeAndLeave(opened, 'oops')
    await page.goto(formUrl())
    await press(page, 'Discard')
    await offered(page, 'The draft was discarded.')
    expect(await countKept(page)).toBe(0)
    await bar(page).getByRole('button', { name: 'Undo' }).click()
    await press(page, 'Restore')
    expect(await shown(page)).toBe('oops')
  })

  it('say once that there is no room, and leave the text alone', async () => {
    const { page, text } = await open('')
    await page.evaluate(() => {
      const { put } = IDBObjectStore.prototype
      IDBObjectStore.prototype.put = function (this: IDBObjectStore, ...values) {
        const request = put.apply(this, values)
        this.transaction.abort()
        return request
      }
      Storage.prototype.setItem = () => {
        throw new DOMException('full', 'QuotaExceededError')
      }
    })
    await text.pressSequentially('still here')
    await page.locator('.md-editor-status').getByText('Drafts cannot be saved').waitFor()
    expect(await shown(page)).toBe('still here')
  })

  it('of a megabyte are kept and restored', { timeout: 60_000 }, async () => {
    const long = 'A line of some words.\n'.repeat(50_000)
    const opened = await open('')
    const { page, text } = opened
    page.context().setDefaultTimeout(20_000)
    await text.evaluate((element: HTMLTextAreaElement, value) => {
      element.value = value
      element.dispatchEvent(new Event('input', { bubbles: true }))
    }, long)
    await kept(page).waitFor()
    await page.goto('about:blank')
    await page.goto(formUrl())
    await offered(page, /250000 words/)
    await press(page, 'Restore')
    await expect.poll(async () => (await textOf(page)).length, { timeout: 20_000 }).toBe(long.length)
    expect((await textOf(page)) === long).toBe(true)
  })

  it('are never shown to another user, and go when another one comes', async () => {
    const opened = await open('')
    const { page } = opened
    await typeAndLeave(opened, 'a secret')
    serve('', { widget: { draft: { key: KEY, user: 'eve' } } })
    await page.goto(formUrl())
    await expect.poll(() => countKept(page)).toBe(0)
    expect(await bar(page).count()).toBe(0)
    serve('')
    await page.goto(formUrl())
    await page.waitForLoadState('networkidle')
    expect(await bar(page).count()).toBe(0)
  })

  it('go where one signs out, also those of open tabs', async () => {
    const signOut = '</form><form action="/save" method="post" data-md-editor-clear-drafts><button>Sign out</button>'
    const first = await open('', { before: '' })
    const context = first.page.context()
    await first.text.pressSequentially('of the first')
    await kept(first.page).waitFor()
    site.server.pages.set('/account', formPage(site.server, { fields: {}, before: signOut }))
    const second = await context.newPage()
    await second.goto(`${site.server.url}/account`)
    await second.waitForLoadState('networkidle')
    await press(second, 'Sign out')
    await second.waitForURL('**/save')
    await kept(first.page).waitFor({ state: 'detached' })
    await first.text.pressSequentially(' and more')
    await first.page.goto('about:blank')
    await first.page.goto(formUrl())
    await first.page.waitForLoadState('networkidle')
    expect(await bar(first.page).count()).toBe(0)
    expect(await countKept(first.page)).toBe(0)
  })

  it('name files that are gone, and show where they are in the text', async () => {
    const opened = await open('')
    const { page, text } = opened
    const [gone, here] = ['/media/md-editor/tmp/gone%20by.png', '/media/md-editor/tmp/here.png']
    await page.context().route('**/gone*', (route) => route.fulfill({ status: 404 }))
    await text.fill(`![a](${here}) ![b](${gone})`)
    await page.goto('about:blank')
    await page.goto(formUrl())
    await offered(page, /A file is no longer there: gone by\.png\.$/)
    await press(page, 'Restore')
    expect(await shown(page)).toBe(`![a](${here}) ![b](${gone})`)
    await press(page, 'Show gone by.png in the text')
    expect(await page.evaluate(() => getSelection()?.toString())).toBe(gone)
    await press(page, 'Dismiss')
    expect(await bar(page).count()).toBe(0)
  })

  it('go when the application says that it has saved the text', async () => {
    const { page, text } = await open('')
    await text.pressSequentially('sent by script')
    await kept(page).waitFor()
    await page.locator('markdown-editor').evaluate((element: MarkdownEditorElement) => element.clearDraft())
    expect(await countKept(page)).toBe(0)
    await page.locator('form').evaluate((form: HTMLFormElement) => form.reset())
    await page.goto('about:blank')
    await page.goto(formUrl())
    await page.waitForLoadState('networkidle')
    expect(await bar(page).count()).toBe(0)
  })

  it('are kept when a form empties itself', async () => {
    const { page, text } = await open('')
    await text.pressSequentially('typed')
    await page.locator('form').evaluate((form: HTMLFormElement) => form.reset())
    await page.goto('about:blank')
    await page.goto(formUrl())
    await press(page, 'Restore')
    expect(await shown(page)).toBe('typed')
  })

  it.each<[string, PageParts]>([
    ['without a key', { widget: {} }],
    ['read-only', { widget: { draft: KEY, attrs: { readonly: true } } }],
    ['disabled', { widget: { draft: KEY, attrs: { disabled: true } } }],
    ['with autocomplete="off"', { widget: { draft: KEY, attrs: { autocomplete: 'off' } } }],
  ])('are not kept of a field %s', async (_, parts) => {
    const { page } = await open('', parts)
    await page.waitForLoadState('networkidle')
    await page.locator('textarea').evaluate((element: HTMLTextAreaElement) => {
      element.value = 'typed'
      element.dispatchEvent(new Event('input', { bubbles: true }))
    })
    await page.goto(`${site.server.url}/nothing`)
    expect(await countKept(page)).toBe(0)
  })

  async function openAgain(context: BrowserContext): Promise<Page> {
    const page = await context.newPage()
    await page.goto(formUrl())
    await ready(page)
    return page
  }
})
