import { describe, expect, it } from 'vitest'
import { choose, PHOTO } from '../support/choose-files.ts'
import { formPage, type OpenPage, type PageParts } from '../support/open-page.ts'
import { type Answer, problem, promote } from '../support/test-server.ts'
import { useTestSite } from '../support/test-site.ts'

const TEMP = '/media/md-editor/tmp/m1-photo.png'
const PERMANENT = '/media/md-editor/uploads/2026/11/m1-photo.png'
const KEY = 'post/1/body'
// The tests use this button, because the button “Image” edits the image at the caret.
const ADD_FILES = 'Paste, drop, or click to add files'
const OUT_OF_DATE = 'This page is out of date. Copy your text, then reload the page.'

const of = (user: string | null, key = KEY): PageParts => ({
  fields: { body: `![a](${TEMP})` },
  widget: { draft: { key, user } },
})

describe('the CSRF token of <markdown-editor>', () => {
  const site = useTestSite()

  const take = (good: Answer | null, token: string | string[] | undefined | null): Answer =>
    good !== null && token === 'new-token'
      ? good
      : problem(403, 'csrf_failed', 'Send the CSRF token of the page.')
  /** Opens a page, then changes the server as if someone had signed in in another tab. */
  const openBefore = async (before: PageParts, html: string | null): Promise<OpenPage> => {
    const opened = await site.open(before)
    if (html === null) site.server.pages.delete('/form')
    else site.server.pages.set('/form', html)
    site.server.onFinalize = (text) =>
      take(promote(text), site.server.posted.at(-1)?.headers['x-csrf-token'])
    site.server.onUpload = ({ token }) => take(null, token)
    return opened
  }
  const pageOf = (parts: PageParts): string =>
    formPage(site.server, parts).replace('token-of-the-form', 'new-token')
  const sentTokens = (): unknown[] =>
    site.server.posted.map(({ headers }) => headers['x-csrf-token'])
  const formToken = ({ page }: OpenPage): Promise<string> =>
    page.locator('input[name=csrf_token]').evaluate((input: HTMLInputElement) => input.value)

  it('is renewed after the same user has signed in in another tab, for the form around the same field', async () => {
    const other = '<form><input name="csrf_token" value="of-another-form"></form><form '
    const opened = await openBefore(of('ada'), pageOf(of('ada')).replace('<form ', other))
    await opened.button('Publish').click()
    await opened.page.waitForURL('**/save')
    expect(site.server.saved[0]?.get('csrf_token')).toBe('new-token')
    expect(site.server.saved[0]?.get('body')).toBe(`![a](${PERMANENT})`)
  })

  it.each<[string, PageParts, () => string | null]>([
    ['after another user has signed in', of('ada'), () => pageOf(of('bob'))],
    ['after the user has signed out', of('ada'), () => pageOf(of(null))],
    ['if the page now edits another text', of('ada'), () => pageOf(of('ada', 'post/2/body'))],
    ['if neither page names its user', of(null), () => pageOf(of(null))],
    ['if the old page names no user', of(null), () => pageOf(of('bob'))],
    ['if the page no longer exists', of('ada'), () => null],
  ])('is never read from a page of another user: %s', async (_, before, html) => {
    const opened = await openBefore(before, html())
    await opened.button('Publish').click()
    await opened.page.getByText(OUT_OF_DATE).first().waitFor()
    expect(sentTokens()).toEqual(['token-of-the-form'])
    expect(await formToken(opened)).toBe('token-of-the-form')
    expect(await opened.text.inputValue()).toBe(`![a](${TEMP})`)
    expect(await opened.text.evaluate((element: HTMLTextAreaElement) => element.readOnly)).toBe(
      false,
    )
    expect(site.server.saved).toEqual([])
  })

  it('is not read from a redirected page', async () => {
    const opened = await openBefore(of('ada'), null)
    site.server.pages.set('/sign-in', pageOf(of('ada')))
    await opened.page.route('**/form', (route) =>
      route.fulfill({ status: 302, headers: { location: '/sign-in' } }),
    )
    await opened.button('Publish').click()
    await opened.page.getByText(OUT_OF_DATE).first().waitFor()
    expect(await formToken(opened)).toBe('token-of-the-form')
    expect(sentTokens()).toEqual(['token-of-the-form'])
  })

  it('is not renewed for an upload when another user has signed in: the file is kept for a retry', async () => {
    const opened = await openBefore(of('ada'), pageOf(of('bob')))
    await choose(opened, ADD_FILES, [PHOTO])
    await opened.page.getByText(OUT_OF_DATE).first().waitFor()
    expect(site.server.files.map(({ token }) => token)).toEqual(['token-of-the-form'])
    expect(await formToken(opened)).toBe('token-of-the-form')
    expect(await opened.text.inputValue()).toContain('Uploading')
  })

  it('is reported to the developer if the page has none, or if the endpoint is missing', async () => {
    const opened = await site.open(of('ada'))
    const { page } = opened
    const warned: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'warning') warned.push(message.text())
    })
    await page.locator('input[name=csrf_token]').evaluate((field) => field.remove())
    site.server.onUpload = () => problem(403, 'csrf_failed', 'Send the CSRF token of the page.')
    await choose(opened, ADD_FILES, [PHOTO])
    const message = 'This page is not set up correctly. Please tell the people who run it.'
    await page.getByText(message).first().waitFor()
    expect(warned).toEqual([
      expect.stringMatching(/upload answered 403\. Send the CSRF token of the page\.$/),
    ])
    site.server.onUpload = () => ({ status: 404, body: 'Not found' })
    await opened.button('Try again').click()
    await expect.poll(() => warned.length).toBe(2)
    expect(warned[1]).toContain('upload answered 404.')
    await page.getByText(message).first().waitFor()
    const detail = 'There is nothing at this address.'
    site.server.onUpload = () => problem(404, 'not_found', detail)
    await choose(opened, ADD_FILES, [PHOTO])
    await expect.poll(() => page.locator('li', { hasText: message }).count()).toBe(2)
    expect(warned[2]).toContain(`upload answered 404. ${detail}`)
    expect(await page.getByText(detail).count()).toBe(0)
  })

  it('is not sent to another site, but headers that the page adds are', async () => {
    const seen: string[] = []
    const { page, button, text, ...opened } = await site.open(of('ada'))
    // Removes the Content-Security-Policy, which would block requests to another site.
    await page.route('**/form', async (route) => {
      const response = await route.fetch()
      const { 'content-security-policy': _, ...headers } = response.headers()
      await route.fulfill({ response, headers })
    })
    await page.route('https://files.example/*', async (route) => {
      const request = route.request()
      seen.push(JSON.stringify(request.headers()) + (request.postDataBuffer()?.toString() ?? ''))
      const isUpload = request.url().endsWith('upload')
      await route.fulfill({
        json: isUpload ? { url: '/media/u.png' } : { replacements: {}, missing: [] },
        headers: { 'access-control-allow-origin': '*' },
      })
    })
    await page.reload()
    await page.locator('markdown-editor').evaluate((element) => {
      element.setAttribute('upload-url', 'https://files.example/upload')
      element.setAttribute('finalize-url', 'https://files.example/finalize')
      element.addEventListener('request', (event) => {
        ;(event as CustomEvent<{ headers: Headers }>).detail.headers.set(
          'authorization',
          'Bearer mine',
        )
      })
    })
    await choose({ page, button, text, ...opened }, ADD_FILES, [PHOTO])
    await expect.poll(() => text.inputValue()).toContain('/media/u.png')
    expect(seen.length).toBe(1)
    await button('Publish').click()
    await page.waitForURL('**/save')
    expect(seen.length).toBe(2)
    expect(seen.join()).not.toContain('token-of-the-form')
    expect(seen.every((each) => each.includes('Bearer mine'))).toBe(true)
    const sent = site.server.posted.filter(({ path }) => path === '/save').map(({ body }) => body)
    expect(sent.join('\n')).toContain('csrf_token=token-of-the-form')
  })
})
