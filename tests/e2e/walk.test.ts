import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { png } from '../support/png.ts'
import { signIn } from '../support/sign-in.ts'
import { useDemo } from '../support/use-demo.ts'

const PERMANENT = /^\/media\/md-editor\/uploads\/\d{4}\/\d{2}\/[^/]+\.png$/

describe('the demo in a browser', () => {
  const site = useDemo({ QUILLGATE_COUNTRY_HEADER: 'cf-ipcountry' })
  let folder: string
  let picture: string

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'quillgate-walk-'))
    picture = join(folder, 'sunset.png')
    writeFileSync(picture, png(320, 200, [240, 140, 60]))
  })

  afterAll(() => {
    rmSync(folder, { recursive: true, force: true })
  })

  const visitor = (country: string, options: BrowserContextOptions = {}): Promise<BrowserContext> =>
    site.newContext({ extraHTTPHeaders: { 'cf-ipcountry': country }, ...options })

  /** Returns the lines of the security log without times, newest first. */
  async function events(page: Page): Promise<string[]> {
    await page.goto('/security-log')
    return page.locator('.event p:first-child').allTextContents()
  }

  /** Publishes a post with an image. Returns the URLs of the post and of the image on its page. */
  async function publish(page: Page, title: string): Promise<{ post: string; image: string }> {
    await page.goto('/posts/new')
    await page.getByLabel('Title').fill(title)
    const text = page.getByRole('textbox', { name: 'Text' })
    await text.fill('Evening')
    await text.selectText()
    await page.getByRole('button', { name: 'Bold', exact: true }).click()
    await expect.poll(() => text.inputValue()).toBe('**Evening**')
    await text.press('End')
    await text.press('Enter')
    await text.press('Enter')
    await page.getByRole('button', { name: 'Image', exact: true }).click()
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Choose files' }).click(),
    ])
    await chooser.setFiles(picture)
    await page.getByRole('dialog').getByRole('button', { name: 'Insert' }).click()
    await expect
      .poll(() => text.inputValue())
      .toMatch(/!\[sunset\]\(\/media\/md-editor\/tmp\/m[a-z0-9]+-320x200-sunset\.png\)/)
    expect(site.demo.storedFiles().some((file) => file.startsWith('md-editor/tmp/'))).toBe(true)

    await page.getByRole('tab', { name: 'Preview' }).click()
    const preview = page.getByRole('tabpanel').filter({ has: page.locator('img') })
    await preview.locator('strong', { hasText: 'Evening' }).waitFor()
    await page.getByRole('tab', { name: 'Write' }).click()

    await page.getByRole('button', { name: 'Publish' }).click()
    await page.waitForURL(/\/posts\/(?!new)[^/]+$/)
    const image = await page.locator('.md-content img').getAttribute('src')
    expect(image).toMatch(PERMANENT)
    return { post: new URL(page.url()).pathname, image: image ?? '' }
  }

  /** Deletes the post of the current page. */
  async function remove(page: Page): Promise<void> {
    const post = page.url()
    const question = page.getByRole('dialog', { name: 'Delete this post? This cannot be undone.' })
    expect(await question.isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    const confirm = question.getByRole('button', { name: 'Delete this post' })
    await confirm.click()
    await page.waitForURL((url) => url.pathname === '/')
    expect(await page.title()).toBe('The post was deleted. Posts · Quillgate demo')
    expect((await page.request.get(post)).status()).toBe(404)
  }

  it('supports sign-in, writing, publishing and removing an image', {
    timeout: 60_000,
  }, async () => {
    const context = await visitor('DE')
    const page = await context.newPage()
    const violations: string[] = []
    const sent: string[] = []
    page.on('console', (message) => {
      if (/Content Security Policy/.test(message.text())) violations.push(message.text())
    })
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(new URL(request.url()).pathname)
    })
    await signIn(page, 'ada')
    expect(await events(page)).toEqual(['Chrome on Linux signed in from Germany.'])

    sent.length = 0
    const { post, image } = await publish(page, 'A walk')
    expect(sent).toEqual(['/md-editor/upload', '/md-editor/finalize', '/posts'])
    expect(site.demo.storedFiles().filter((file) => file.startsWith('md-editor/tmp/'))).toEqual([])
    const width = (): Promise<number> =>
      page
        .locator('.md-content img')
        .evaluate((element) => (element as HTMLImageElement).naturalWidth)
    await expect.poll(width).toBe(320)
    const published = page.getByRole('status').getByText('Published.', { exact: true })
    expect(await published.isVisible()).toBe(true)
    // Screen readers read the title of a new page, but not a status that it contains.
    expect(await page.title()).toBe('Published. A walk · Quillgate demo')
    await page.reload()
    expect(await published.count()).toBe(0)
    expect(await page.title()).toBe('A walk · Quillgate demo')

    await page.goto(`${post}/edit`)
    await page.getByRole('textbox', { name: 'Text' }).fill('No picture any more')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL(`**${post}`)
    await page.getByRole('status').getByText('Saved.', { exact: true }).waitFor()
    expect((await page.request.get(image)).status()).toBe(404)
    expect(site.demo.storedFiles().filter((file) => file.endsWith('.png'))).toEqual([])
    expect(violations).toEqual([])
  })

  it('keeps an image that another post still shows', { timeout: 60_000 }, async () => {
    const context = await visitor('DE')
    const page = await context.newPage()
    await signIn(page, 'grace')
    const { post, image } = await publish(page, 'First')

    await page.goto('/posts/new')
    await page.getByLabel('Title').fill('Second')
    await page.getByRole('textbox', { name: 'Text' }).fill(`![the same](${image})`)
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.waitForURL(/\/posts\/(?!new)[^/]+$/)
    const second = new URL(page.url()).pathname

    await page.goto(post)
    await remove(page)
    expect((await page.request.get(image)).status()).toBe(200)

    await page.goto(second)
    await remove(page)
    expect((await page.request.get(image)).status()).toBe(404)
  })

  it('reports a login from a new country and revokes the device', {
    timeout: 60_000,
  }, async () => {
    const home = await visitor('DE')
    const here = await home.newPage()
    await signIn(here, 'ada')
    const before = (await events(here)).length

    const away = await visitor('BR')
    const there = await away.newPage()
    await signIn(there, 'ada')
    const now = await events(here)
    expect(now.slice(0, now.length - before).sort()).toEqual([
      'Chrome on Linux signed in from Brazil, a new country for your account. Earlier sign-ins were from Germany.',
      'Chrome on Linux signed in from Brazil.',
    ])
    expect(await here.locator('main').textContent()).not.toMatch(/device_|suspicious_|[0-9a-f]{8}-/)

    await here.goto('/devices')
    const cards = here.locator('.td-device')
    expect(await cards.filter({ hasText: 'This device' }).count()).toBe(1)
    const foreign = cards.filter({ hasText: 'Brazil' })
    expect(await foreign.count()).toBe(1)
    await foreign.getByRole('button', { name: /^Sign out/ }).click()
    await here.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
    await expect.poll(() => cards.filter({ hasText: 'Brazil' }).count()).toBe(0)

    await there.getByRole('link', { name: 'Posts' }).click()
    await there.waitForURL(/\/login/)
    const [newest] = await events(here)
    expect(newest).toBe('Chrome on Linux was signed out from another device.')
  })

  it('marks the current page or section in the navigation', {
    timeout: 60_000,
  }, async () => {
    const page = await site.newPage({ javaScriptEnabled: false })
    await signIn(page, 'ada')
    const marked: Record<string, (string | null)[]> = {
      '/': ['Posts', 'page'],
      '/posts/new': ['Posts', 'true'],
      '/docs/markdown-editor-live.md': ['Editor', 'page'],
      '/docs/demo.md': ['Editor', 'true'],
      '/devices': ['Devices', 'page'],
      '/security-log': ['Security log', 'page'],
      '/mailbox': ['Security log', 'true'],
      '/account': ['Account', 'page'],
      '/token-client': ['Account', 'true'],
    }
    for (const [path, [label, value]] of Object.entries(marked)) {
      await page.goto(path)
      const current = page.getByRole('navigation').locator('[aria-current]')
      expect(await current.allTextContents(), path).toEqual([label])
      expect(await current.getAttribute('aria-current'), path).toBe(value)
    }
  })

  it.each([true, false])(
    'asks on the screen of a phone before it deletes a post (JavaScript: %s)',
    { timeout: 60_000 },
    async (javaScriptEnabled) => {
      const viewport = { width: 360, height: 640 }
      const page = await site.newPage({ javaScriptEnabled, viewport })
      await signIn(page, 'ada')
      await page.goto('/posts/new')
      await page.getByLabel('Title').fill('Long')
      await page.locator('textarea[name=body]').fill('A paragraph.\n\n'.repeat(50))
      await page.getByRole('button', { name: 'Publish' }).click()
      await page.waitForURL(/\/posts\/(?!new)[^/]+$/)
      const post = page.url()
      const loaded: string[] = []
      page.on('request', (request) => {
        if (request.isNavigationRequest()) loaded.push(request.url())
      })

      const open = page.getByRole('button', { name: 'Delete', exact: true })
      const question = page.getByRole('dialog')
      const cancel = question.getByRole('button', { name: 'Cancel' })
      for (const leave of [() => cancel.press('Enter'), () => page.keyboard.press('Escape')]) {
        await open.press('Enter')
        const box = await question.boundingBox()
        expect(box?.y).toBeGreaterThanOrEqual(0)
        expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(viewport.height)
        expect(await page.locator(':focus').textContent()).toBe('Cancel')
        await leave()
        await question.waitFor({ state: 'hidden' })
        expect(await page.locator(':focus').textContent()).toBe('Delete')
      }
      expect(loaded).toEqual([])
      expect((await page.request.get(post)).status()).toBe(200)
      await remove(page)
    },
  )

  it('supports writing without JavaScript', { timeout: 60_000 }, async () => {
    const context = await visitor('DE', { javaScriptEnabled: false })
    const page = await context.newPage()
    await signIn(page, 'ada')

    // Uploads a temporary file like another tab or a script. The server finalizes the file on save.
    const token = await page.locator('meta[name="csrf-token"]').getAttribute('content')
    const uploaded = await page.request.post('/md-editor/upload', {
      headers: { 'x-csrf-token': token ?? '', origin: site.demo.url },
      multipart: {
        file: { name: 'plain.png', mimeType: 'image/png', buffer: png(4, 4, [0, 0, 0]) },
      },
    })
    expect(uploaded.status()).toBe(201)
    const { url } = (await uploaded.json()) as { url: string }

    await page.goto('/posts/new')
    await page.getByLabel('Title').fill('Plain')
    await page.locator('textarea[name=body]').fill(`Just a textarea.\n\n![plain](${url})`)
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.waitForURL(/\/posts\/(?!new)[^/]+$/)
    expect(await page.locator('.md-content img').getAttribute('src')).toMatch(PERMANENT)
  })
})
