import { describe, expect, it } from 'vitest'
import { choose, holdUploads, PHOTO } from '../support/choose-files.ts'
import type { OpenPage, PageParts } from '../support/open-page.ts'
import { problem, promote } from '../support/test-server.ts'
import { useTestSite } from '../support/test-site.ts'

const TEMP = '/media/md-editor/tmp/m1-photo.png'
const PERMANENT = '/media/md-editor/uploads/2026/11/m1-photo.png'
const TITLE = '<label>Title <input name="title" required></label>'

describe('the form of <markdown-editor>', () => {
  const site = useTestSite()

  const open = (body: string, parts: PageParts = {}): Promise<OpenPage> =>
    site.open({ fields: { body }, ...parts })
  const finalized = (): (string | string[])[] =>
    site.server.posted
      .filter(({ path }) => path === '/md-editor/finalize')
      .map(({ body }) => JSON.parse(body))
      .map(({ text, texts }) => texts ?? text)
  const saved = async ({ page }: OpenPage): Promise<URLSearchParams> => {
    await page.waitForURL('**/save')
    expect(site.server.saved.length).toBe(1)
    return site.server.saved[0] ?? new URLSearchParams()
  }

  it('is sent once, with the finalized text and the pressed button (F22)', async () => {
    const opened = await open(`![a](${TEMP})`)
    await opened.button('Save draft').click()
    const fields = await saved(opened)
    expect(Object.fromEntries(fields)).toEqual({
      csrf_token: 'token-of-the-form',
      body: `![a](${PERMANENT})`,
      action: 'draft',
    })
    expect(finalized()).toEqual([`![a](${TEMP})`])
    expect(site.server.posted[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-csrf-token': 'token-of-the-form',
    })
  })

  it.each(['', `![a](${TEMP})`])(
    'is sent although the server no longer has the scripts of this page (first text: %j)',
    async (body) => {
      const loaded = site.context.waitForEvent('response', (response) =>
        /\/prepare-fields-\w+\.js$/.test(response.url()),
      )
      const opened = await open(body)
      await loaded
      await opened.page.waitForLoadState('networkidle') // The script imports other scripts.
      await opened.page.route('**/assets/**', (route) => route.fulfill({ status: 404 }))
      await opened.text.fill(`![a](${TEMP})`)
      await opened.button('Publish').click()
      expect((await saved(opened)).get('body')).toBe(`![a](${PERMANENT})`)
    },
  )

  it('reports that the page is out of date if a script can no longer be loaded', async () => {
    const opened = await open(`![a](${TEMP})`)
    await opened.page.route(/\/(?:prepare-fields|preview-pane)-\w+\.js$/, (route) =>
      route.fulfill({ status: 404 }),
    )
    await opened.page.reload()
    const outOfDate = 'could not be loaded. Copy your text, then reload the page.'
    await opened.button('Publish').click()
    await opened.page.getByText(outOfDate).first().waitFor()
    expect(site.server.posted).toEqual([])
    expect(await opened.text.inputValue()).toBe(`![a](${TEMP})`)
    await opened.page.getByRole('tab', { name: 'Preview' }).click()
    await opened.page.getByRole('alert').getByText(outOfDate).waitFor()
  })

  it('is sent unchanged if the text has no temporary file', async () => {
    const opened = await open('hello')
    await opened.button('Publish').click()
    expect((await saved(opened)).get('body')).toBe('hello')
    expect(finalized()).toEqual([])
  })

  it('replaces whole URLs, also in code, and ignores other sites (F20)', async () => {
    const text = `![a](${TEMP}) ![b](${TEMP}.png) ![c](https://other.example${TEMP}) \`${TEMP}\``
    site.server.onFinalize = () => ({
      status: 200,
      body: { replacements: { [TEMP]: '/media/x', [`${TEMP}.png`]: '/media/y' }, missing: [] },
    })
    const opened = await open(text)
    await opened.button('Publish').click()
    expect((await saved(opened)).get('body')).toBe(
      `![a](/media/x) ![b](/media/y) ![c](https://other.example${TEMP}) \`/media/x\``,
    )
  })

  it('finalizes files of another temporary folder if the widget names it (F20)', async () => {
    const opened = await open('![a](/media/incoming/a.png)')
    await opened.page
      .locator('markdown-editor')
      .evaluate((element) => element.setAttribute('temp-url', '/media/incoming/'))
    site.server.onFinalize = () => ({
      status: 200,
      body: { replacements: { '/media/incoming/a.png': PERMANENT }, missing: [] },
    })
    await opened.button('Publish').click()
    expect((await saved(opened)).get('body')).toBe(`![a](${PERMANENT})`)
  })

  it('always finalizes if no attribute says which URLs are temporary', async () => {
    const opened = await open('hello')
    await opened.page
      .locator('markdown-editor')
      .evaluate((element) => element.removeAttribute('temp-url'))
    await opened.button('Publish').click()
    await saved(opened)
    expect(finalized()).toEqual(['hello'])
  })

  it('is sent if the server misses a file, because the server decides', async () => {
    site.server.onFinalize = () => ({ status: 200, body: { replacements: {}, missing: [TEMP] } })
    const opened = await open(`![a](${TEMP})`)
    await opened.button('Publish').click()
    expect((await saved(opened)).get('body')).toBe(`![a](${TEMP})`)
  })

  it('is sent once after a double click', async () => {
    const opened = await open(`![a](${TEMP})`)
    await opened.page.evaluate(() => {
      const button = document.querySelector<HTMLButtonElement>('button[value=publish]')
      button?.click()
      button?.click()
    })
    await saved(opened)
    expect(finalized().length).toBe(1)
  })

  it('is sent on Enter in another field, as by the first button', async () => {
    const opened = await open(`![a](${TEMP})`, { before: TITLE })
    await opened.page.getByLabel('Title').fill('x')
    await opened.page.getByLabel('Title').press('Enter')
    expect((await saved(opened)).get('action')).toBe('draft')
  })

  it('is not sent if finalize fails: the text is kept, the reason is shown, and a retry sends it (F20)', async () => {
    site.server.onFinalize = () => problem(503, 'storage_failed', 'Try later.')
    const opened = await open(`![a](${TEMP})`)
    await opened.button('Publish').click()
    await opened.page
      .getByText('The form was not sent, and your text is kept. Try later.')
      .first()
      .waitFor()
    expect(site.server.saved).toEqual([])
    expect(await opened.text.inputValue()).toBe(`![a](${TEMP})`)
    expect(await opened.text.evaluate((element: HTMLTextAreaElement) => element.readOnly)).toBe(
      false,
    )
    site.server.onFinalize = null
    await opened.button('Try again').click()
    const fields = await saved(opened)
    expect(fields.get('body')).toBe(`![a](${PERMANENT})`)
    expect(fields.get('action')).toBe('publish')
  })

  it('offers no retry if it cannot succeed', async () => {
    site.server.onFinalize = () => problem(413, 'text_too_large', 'The text is too long.')
    const opened = await open(`![a](${TEMP})`)
    await opened.button('Publish').click()
    await opened.page.getByText('The text is too long.').first().waitFor()
    expect(await opened.button('Try again').count()).toBe(0)
  })

  it('is sent with the new token after a sign-in in another tab', async () => {
    site.server.onFinalize = () =>
      problem(401, 'authentication_required', 'Sign in to save the files of a text.')
    const opened = await open(`![a](${TEMP})`, {
      widget: { draft: { key: 'post/1/body', user: 'ada' } },
    })
    await opened.button('Publish').click()
    await opened.page
      .getByText('You were signed out. Sign in using another tab, then try again.')
      .first()
      .waitFor()
    const page = site.server.pages.get('/form') ?? ''
    site.server.pages.set('/form', page.replace('token-of-the-form', 'new-token'))
    site.server.onFinalize = (text) =>
      site.server.posted.at(-1)?.headers['x-csrf-token'] === 'new-token'
        ? promote(text)
        : problem(403, 'csrf_failed', 'Send the CSRF token of the page.')
    await opened.button('Try again').click()
    const fields = await saved(opened)
    expect(fields.get('csrf_token')).toBe('new-token')
    expect(fields.get('body')).toBe(`![a](${PERMANENT})`)
  })

  it('reports that the page is out of date if the server rejects its only token', async () => {
    site.server.onFinalize = () => problem(403, 'csrf_failed', 'Send the CSRF token of the page.')
    const opened = await open(`![a](${TEMP})`)
    await opened.button('Publish').click()
    await opened.page
      .getByText('This page is out of date. Copy your text, then reload the page.')
      .first()
      .waitFor()
    expect(finalized().length).toBe(1)
    expect(await opened.text.inputValue()).toBe(`![a](${TEMP})`)
  })

  it('reports that the server cannot be reached, and can be sent again', async () => {
    const opened = await open(`![a](${TEMP})`)
    await opened.page.route('**/finalize', (route) => route.abort(), { times: 1 })
    await opened.button('Publish').click()
    await opened.page.getByText('The server could not be reached.').first().waitFor()
    await opened.button('Publish').click()
    expect((await saved(opened)).get('body')).toBe(`![a](${PERMANENT})`)
  })

  it('finalizes all its editors and is sent once (F20)', async () => {
    const opened = await open('', {
      fields: { body: `![a](${TEMP})`, summary: `[b](${TEMP}2)`, plain: 'none' },
    })
    await opened.button('Publish').click()
    const fields = await saved(opened)
    expect(fields.get('body')).toBe(`![a](${PERMANENT})`)
    expect(fields.get('summary')).toBe(`[b](${PERMANENT}2)`)
    expect(finalized().toSorted()).toEqual([`![a](${TEMP})`, `[b](${TEMP}2)`])
  })

  it('is not sent if one of its editors fails', async () => {
    site.server.onFinalize = (text) =>
      text.includes('bad') ? problem(429, 'rate_limited', 'Too fast.') : promote(text)
    const opened = await open('', {
      fields: { body: `![a](${TEMP})`, summary: `![bad](${TEMP}2)` },
    })
    await opened.button('Publish').click()
    await opened.page.getByText('Too fast.').first().waitFor()
    expect(site.server.saved).toEqual([])
  })

  it('waits for uploads, and includes their files', async () => {
    const release = holdUploads(site.server)
    const opened = await open('text')
    await choose(opened, 'Image', [{ ...PHOTO, name: 'late.png' }])
    await opened.button('Publish').click()
    await opened.page.getByText('Waiting for uploads before the form is sent…').first().waitFor()
    expect(site.server.saved).toEqual([])
    release()
    expect((await saved(opened)).get('body')).toMatch(
      /!\[late\]\(\/media\/md-editor\/uploads\/2026\/11\/m\d+-late\.png\)/,
    )
  })

  it('is not sent if an upload fails that it waits for', async () => {
    const release = holdUploads(site.server, () =>
      problem(413, 'file_too_large', 'The file is too large.'),
    )
    const opened = await open('text')
    await choose(opened, 'Image', [{ ...PHOTO, name: 'late.png' }])
    await opened.button('Publish').click()
    release()
    await opened.page
      .getByText('The form was not sent, because a file was not uploaded.')
      .first()
      .waitFor()
    await opened.page
      .getByText('late.png was not uploaded. The file is too large.')
      .first()
      .waitFor()
    expect(site.server.saved).toEqual([])
    expect(await opened.text.inputValue()).toBe('text')
  })

  it('sends no placeholder that a script has restored', async () => {
    const opened = await open('')
    await choose(opened, 'Image', [PHOTO])
    await expect.poll(() => opened.text.inputValue()).toContain('](/media/')
    await opened.text.fill('![Uploading photo.png…]()')
    await opened.button('Publish').click()
    expect((await saved(opened)).get('body')).toMatch(
      /^!\[photo\]\(\/media\/md-editor\/uploads\/\S+\)$/,
    )
  })

  it('is neither finalized nor sent if it is invalid', async () => {
    const opened = await open(`![a](${TEMP})`, { before: TITLE })
    await opened.button('Publish').click()
    expect(
      await opened.page
        .getByLabel('Title')
        .evaluate((element) => element === document.activeElement),
    ).toBe(true)
    expect(site.server.posted).toEqual([])
  })

  it('shows the text if that is invalid', async () => {
    const opened = await open('', { widget: { attrs: { required: true } } })
    await opened.page.getByRole('tab', { name: 'Preview' }).click()
    await opened.button('Publish').click()
    await expect.poll(() => opened.text.isVisible()).toBe(true)
    expect(await opened.text.evaluate((element) => element === document.activeElement)).toBe(true)
  })

  it('calls the submit listeners of the page once with the finalized text, and can be prevented', async () => {
    const opened = await open(`![a](${TEMP})`)
    await opened.page.evaluate(() => {
      const seen: string[] = []
      document.forms[0]?.addEventListener('submit', (event) => {
        seen.push(`${new FormData(event.target as HTMLFormElement).get('body')}`)
        event.preventDefault()
        document.body.dataset['seen'] = seen.join(' ')
      })
    })
    await opened.button('Publish').click()
    await opened.page.locator(`body[data-seen="![a](${PERMANENT})"]`).waitFor()
    await opened.button('Publish').click()
    await opened.page.locator(`body[data-seen="![a](${PERMANENT}) ![a](${PERMANENT})"]`).waitFor()
    expect(finalized().length).toBe(1)
    expect(site.server.saved).toEqual([])
  })

  it('is ignored if the page has already prevented it', async () => {
    const opened = await open(`![a](${TEMP})`)
    await opened.page.evaluate(() => {
      window.addEventListener('submit', (event) => event.preventDefault(), { capture: true })
    })
    await opened.button('Publish').click()
    expect(site.server.posted).toEqual([])
  })

  it('can be cancelled while the server is busy', async () => {
    site.server.onFinalize = () => new Promise(() => {})
    const opened = await open(`![a](${TEMP})`)
    await opened.button('Publish').click()
    await opened.page.getByText('Preparing the text…').first().waitFor()
    await opened.button('Don’t send').click()
    await expect.poll(() => opened.page.locator('.md-editor-notice').isVisible()).toBe(false)
    expect(site.server.saved).toEqual([])
    site.server.onFinalize = null
    await opened.button('Publish').click()
    expect((await saved(opened)).get('body')).toBe(`![a](${PERMANENT})`)
  })

  it('can be cancelled while files are uploaded, which continue', async () => {
    const release = holdUploads(site.server)
    const opened = await open('')
    await choose(opened, 'Image', [PHOTO])
    await opened.button('Publish').click()
    await opened.page.getByText('Waiting for uploads before the form is sent…').first().waitFor()
    await opened.button('Don’t send').click()
    expect(await opened.page.locator('.md-editor-notice').isVisible()).toBe(false)
    expect(await opened.text.evaluate((field) => field === document.activeElement)).toBe(true)
    release()
    await expect.poll(() => opened.text.inputValue()).toMatch(/^!\[photo\]\(\S+\)\n\n$/)
    expect(site.server.saved).toEqual([])
    await opened.button('Publish').click()
    expect((await saved(opened)).get('body')).toContain('![photo](/media/')
  })

  it('lets the page cancel the request', async () => {
    const opened = await open(`![a](${TEMP})`)
    await opened.page.evaluate(() =>
      document.addEventListener('request', (event) => event.preventDefault()),
    )
    await opened.button('Publish').click()
    await opened.page.getByText('This page cancelled the request.').first().waitFor()
    expect(site.server.posted).toEqual([])
  })
})
