import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { choose, chooseOnly, holdUploads, PHOTO } from '../support/choose-files.ts'
import { formPage, type OpenPage, type PageParts } from '../support/open-page.ts'
import { problem, promote, STRICT_CSP } from '../support/test-server.ts'
import { useTestSite } from '../support/test-site.ts'

const TEMP = '/media/md-editor/tmp/m1-photo.png'
const PERMANENT = '/media/md-editor/uploads/2026/11/m1-photo.png'
const library = (path: string): string =>
  fileURLToPath(new URL(`../../../../node_modules/${path}`, import.meta.url))

describe('any kind of form around <markdown-editor>', () => {
  const site = useTestSite()

  const text = `![a](${TEMP})`
  const finished = `![a](${PERMANENT})`
  const texts = (): unknown[] =>
    site.server.posted
      .filter(({ path }) => path === '/md-editor/finalize')
      .map(({ body }) => JSON.parse(body))
  const bodies = (): (string | null)[] => site.server.saved.map((fields) => fields.get('body'))

  const openAs = async (
    rewrite: (html: string) => string,
    parts: PageParts = {},
  ): Promise<OpenPage> => {
    const opened = await site.open({ fields: { body: text }, ...parts })
    const html = rewrite(formPage(site.server, { fields: { body: text }, ...parts }))
    site.server.pages.set('/form', html)
    await opened.page.goto(`${site.server.url}/form`)
    return opened
  }
  /** Opens a page with a library that does not work under a strict CSP. */
  const openWith = async (path: string, rewrite: (html: string) => string): Promise<OpenPage> => {
    const opened = await openAs(rewrite)
    const { page } = opened
    await page.route('**/library.js', (route) =>
      route.fulfill({ path: library(path), contentType: 'text/javascript' }),
    )
    await page.route('**/form', async (route) => {
      const response = await route.fetch()
      const { 'content-security-policy': csp, ...headers } = response.headers()
      expect(csp).toBe(STRICT_CSP)
      const body = (await response.text()).replace(
        '</title>',
        '</title><script src="/library.js"></script>',
      )
      await route.fulfill({ response, headers, body })
    })
    await page.goto(`${site.server.url}/form`)
    return opened
  }

  it('is found by the attribute `form`, even if it is added later', async () => {
    const late =
      '<form id="late" action="/save" method="post"><button>Send it</button></form></body>'
    const opened = await openAs((html) =>
      html.replace('<textarea', '<textarea form="late"').replace('</body>', late),
    )
    await opened.button('Send it').click()
    await opened.page.waitForURL('**/save')
    expect(bodies()).toEqual([finished])
  })

  it('respects the action, method and validation of the pressed button', async () => {
    const extra =
      '<input name="title" required><button formaction="/elsewhere" formnovalidate name="by" value="it">Skip</button>'
    const opened = await openAs((html) => html, { before: extra })
    await opened.button('Skip').click()
    await opened.page.waitForURL('**/elsewhere')
    expect(Object.fromEntries(site.server.saved[0] ?? [])).toMatchObject({
      body: finished,
      by: 'it',
    })
  })

  it('closes a dialog with the finalized text', async () => {
    const opened = await openAs((html) =>
      html
        .replace('<form action="/save" method="post">', '<dialog><form method="dialog">')
        .replace('</form>', '</form></dialog>'),
    )
    const dialog = opened.page.locator('dialog')
    for (const value of ['draft', 'publish']) {
      await dialog.evaluate((element: HTMLDialogElement) => element.showModal())
      await opened.page.locator(`button[value=${value}]`).click()
      await expect
        .poll(() => dialog.evaluate((element: HTMLDialogElement) => element.open))
        .toBe(false)
      expect(await dialog.evaluate((element: HTMLDialogElement) => element.returnValue)).toBe(value)
    }
    expect(await opened.text.inputValue()).toBe(finished)
    expect(texts().length).toBe(1)
  })

  it('is finalized when a script submits it', async () => {
    const opened = await site.open({ fields: { body: text } })
    await opened.page.evaluate(() => document.forms[0]?.requestSubmit())
    await opened.page.waitForURL('**/save')
    expect(bodies()).toEqual([finished])
  })

  it('works in a shadow root', async () => {
    const opened = await site.open({ fields: { body: text } })
    await opened.page.evaluate(() => {
      const form = document.forms[0] as HTMLFormElement
      const shell = document.createElement('div')
      form.replaceWith(shell)
      shell.attachShadow({ mode: 'open' }).append(form)
    })
    await opened.button('Publish').click()
    await opened.page.waitForURL('**/save')
    expect(bodies()).toEqual([finished])
  })

  it('makes the rewritten URLs one undo step, and keeps the selection', async () => {
    const opened = await site.open({ fields: { body: `${text} and ${text}!` } })
    await opened.page.evaluate(() => {
      document.forms[0]?.addEventListener('submit', (event) => event.preventDefault())
    })
    await opened.select(text.length + 1, text.length + 4)
    await opened.button('Publish').click()
    await expect.poll(() => opened.text.inputValue()).toBe(`${finished} and ${finished}!`)
    const selected = await opened.text.evaluate(
      ({ selectionStart, selectionEnd, value }: HTMLTextAreaElement) =>
        value.slice(selectionStart, selectionEnd),
    )
    expect(selected).toBe('and')
    expect(
      await opened.button('Publish').evaluate((element) => element === document.activeElement),
    ).toBe(true)
    await opened.text.focus()
    await opened.page.keyboard.press('Control+z')
    expect(await opened.text.inputValue()).toBe(`${text} and ${text}!`)
  })

  it('includes uploads of several editors that finish in the meantime', async () => {
    const release = holdUploads(site.server)
    const opened = await site.open({ fields: { body: '', summary: 'short ' } })
    await choose(opened, 'Image', [PHOTO])
    const second = opened.page.locator('markdown-editor').nth(1)
    for (const name of ['More', 'Document'])
      await second.getByRole('button', { name, exact: true }).click()
    const plan = { ...PHOTO, name: 'plan.pdf', mimeType: 'application/pdf' }
    await chooseOnly(opened, 'Choose files', [plan])
    await opened.button('Insert').click()
    await opened.button('Publish').click()
    await expect
      .poll(() => opened.page.getByText('Waiting for uploads before the form is sent…').count())
      .toBe(4)
    release()
    await opened.page.waitForURL('**/save')
    const { body, summary } = Object.fromEntries(site.server.saved[0] ?? [])
    expect(body).toMatch(/^!\[photo\]\(\/media\/md-editor\/uploads\/\S+\)\s+$/)
    expect(summary).toMatch(/^\[plan\.pdf\]\(\/media\/md-editor\/uploads\/\S+\)(?:\r\n){4}short $/)
    expect(texts().length).toBe(2)
  })

  it('is optional: finalize() finalizes the text', async () => {
    site.server.onFinalize = () => problem(503, 'storage_failed', 'Try later.')
    const opened = await site.open({ fields: { body: text } })
    const finalize = () =>
      opened.page.evaluate(async () => {
        const element = document.querySelector('markdown-editor')
        return [await element?.finalize(), element?.value]
      })
    expect(await finalize()).toEqual([false, text])
    await opened.page.getByText('Try later.').first().waitFor()
    site.server.onFinalize = (posted) => promote(posted)
    expect(await finalize()).toEqual([true, finished])
    expect(await finalize()).toEqual([true, finished])
    expect(texts().length).toBe(2)
    expect(await opened.page.getByText('Try later.').count()).toBe(0)
  })

  it('is finalized again if a script changes the text in the meantime', async () => {
    site.server.onFinalize = async (posted) => {
      if (texts().length === 1) {
        await opened.page.evaluate((url) => {
          const element = document.querySelector('markdown-editor')
          if (element !== null) element.value += ` ![b](${url})`
        }, `${TEMP}2`)
      }
      return promote(posted)
    }
    const opened = await site.open({ fields: { body: text } })
    await opened.button('Publish').click()
    await opened.page.waitForURL('**/save')
    expect(bodies()).toEqual([`${finished} ![b](${PERMANENT}2)`])
    expect(texts()).toEqual([{ text }, { text: `${finished} ![b](${TEMP}2)` }])
  })

  it('includes changes of another editor in the meantime', async () => {
    site.server.onFinalize = async (posted) => {
      if (texts().length === 1) await opened.page.locator('textarea').nth(1).fill(`![b](${TEMP}2)`)
      return promote(posted)
    }
    const opened = await site.open({ fields: { body: text, summary: '' } })
    await opened.button('Publish').click()
    await opened.page.waitForURL('**/save')
    expect(site.server.saved[0]?.get('summary')).toBe(`![b](${PERMANENT}2)`)
  })

  it('is sent if a file was rejected before in an editor that changes in the meantime', async () => {
    site.server.onUpload = () => problem(415, 'unsupported_media_type', 'Not allowed.')
    site.server.onFinalize = async (posted) => {
      if (texts().length === 1) await opened.text.fill(text)
      return promote(posted)
    }
    const opened = await site.open({ fields: { body: '', summary: `![b](${TEMP}2)` } })
    await choose(opened, 'Image', [PHOTO])
    await opened.page.getByText('photo.png was not uploaded.').first().waitFor()
    await opened.button('Publish').click()
    await opened.page.waitForURL('**/save')
    expect(bodies()).toEqual([finished])
  })

  it('is sent with a new token if one of its editors can renew the expired one', async () => {
    const last = /<markdown-editor(?![\s\S]*<markdown-editor)/
    const opened = await openAs(
      (html) => html.replace(last, '<markdown-editor draft="s" draft-user="ada"'),
      { fields: { body: text, summary: text } },
    )
    const page = site.server.pages.get('/form') ?? ''
    site.server.pages.set('/form', page.replace('token-of-the-form', 'new-token'))
    site.server.onFinalize = (posted) =>
      site.server.posted.at(-1)?.headers['x-csrf-token'] === 'new-token'
        ? promote(posted)
        : problem(403, 'csrf_failed', 'Send the CSRF token of the page.')
    await opened.button('Publish').click()
    await opened.page.waitForURL('**/save')
    const [sent] = site.server.saved
    expect([sent?.get('body'), sent?.get('summary')]).toEqual([finished, finished])
  })

  it.each(['elements', 'requestSubmit', 'submit', 'method', 'id', 'action', 'addEventListener'])(
    'is sent if one of its fields is called `%s`',
    async (name) => {
      const opened = await site.open({
        fields: { body: text },
        before: `<input name="${name}" value="x">`,
      })
      await opened.button('Publish').click()
      await opened.page.waitForURL('**/save')
      expect(bodies()).toEqual([finished])
      expect(site.server.saved[0]?.get(name)).toBe('x')
      expect(site.server.posted[0]?.headers['x-csrf-token']).toBe('token-of-the-form')
    },
  )

  it('is sent once by Turbo, with the finalized text', async () => {
    site.server.onSave = () => ({ status: 303, location: '/form' })
    const opened = await openWith('@hotwired/turbo/dist/turbo.es2017-umd.js', (html) => html)
    await opened.page.evaluate(() => {
      document.addEventListener('turbo:submit-start', () => {
        document.documentElement.dataset['starts'] =
          `${Number(document.documentElement.dataset['starts'] ?? 0) + 1}`
      })
    })
    const answered = opened.page.waitForResponse('**/save')
    await opened.button('Publish').click()
    await answered
    expect(bodies()).toEqual([finished])
    expect(site.server.saved[0]?.get('action')).toBe('publish')
    expect(await opened.page.locator('html').getAttribute('data-starts')).toBe('1')
  })

  it('is sent once by htmx, with the finalized text', async () => {
    const opened = await openWith('htmx.org/dist/htmx.js', (html) =>
      html.replace(
        '<form action="/save" method="post">',
        '<form hx-post="/save" hx-target="body">',
      ),
    )
    const answered = opened.page.waitForResponse('**/save')
    await opened.button('Publish').click()
    await answered
    await opened.page.getByRole('heading', { name: 'Saved' }).waitFor()
    expect(bodies()).toEqual([finished])
    expect(site.server.saved[0]?.get('action')).toBe('publish')
  })
})
