// Takes pictures of every page of the demo, light and dark, wide and narrow: `npm run screenshots [folder]`.
import { mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { launchChromium } from '../tests/support/chromium.ts'
import { startDemo } from '../tests/support/demo.ts'
import { png } from '../tests/support/png.ts'

const folder = process.argv[2] ?? join(tmpdir(), 'quillgate-screenshots')
mkdirSync(folder, { recursive: true })
const picture = join(folder, 'sunset.png')
writeFileSync(picture, png(640, 240, [236, 140, 72]))

const TEXT = `## Evening at the harbour

The light was **golden**, the water *still*. What we saw:

- [x] two boats
- [ ] one gull that would not leave

> Red sky at night.
> Bring a warm coat all the same.

\`\`\`ts
const tide = await harbour.tide(new Date())
\`\`\`

| Hour | Water |
|---:|---|
| 18 | falling |
| 21 | low |

`

const demo = await startDemo({ QUILLGATE_COUNTRY_HEADER: 'cf-ipcountry', QUILLGATE_LOGIN_RATE_LIMIT: 'off' })
const browser = await launchChromium()

async function signIn(page: Page): Promise<void> {
  await page.goto('/login')
  await page.getByLabel('User name').fill('ada')
  await page.getByLabel('Password').fill('quillgate')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL((url) => url.pathname === '/')
}

async function writePost(page: Page): Promise<string> {
  await page.goto('/posts/new')
  await page.getByLabel('Title').fill('Evening at the harbour')
  const text = page.getByRole('textbox', { name: 'Text' })
  await text.fill(TEXT)
  await text.press('Control+End')
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Image', exact: true }).click(),
  ])
  await chooser.setFiles(picture)
  await page.waitForFunction(() => document.querySelector('textarea')?.value.includes('/media/'))
  await page.getByRole('button', { name: 'Publish' }).click()
  await page.waitForURL(/\/posts\/(?!new)[^/]+$/)
  return new URL(page.url()).pathname
}

try {
  for (const scheme of ['light', 'dark'] as const) {
    for (const width of [1280, 360]) {
      const name = `${scheme}-${width}`
      const context = await browser.newContext({
        baseURL: demo.url,
        colorScheme: scheme,
        viewport: { width, height: 800 },
        extraHTTPHeaders: { 'cf-ipcountry': scheme === 'light' ? 'DE' : 'BR' },
      })
      const page = await context.newPage()
      const shoot = (what: string) => page.screenshot({ path: join(folder, `${what}-${name}.png`), fullPage: true })
      await page.goto('/login')
      await shoot('login')
      await signIn(page)
      const post = await writePost(page)
      await shoot('post')
      await page.goto(`${post}/edit`)
      await page.getByRole('button', { name: 'Bold', exact: true }).waitFor()
      await shoot('editor')
      await page.getByRole('tab', { name: 'Preview' }).click()
      await page.locator('[role=tabpanel] img').waitFor()
      await shoot('preview')
      await page.goto('/posts/new?example')
      await page.getByRole('tab', { name: 'Preview' }).click()
      await page.locator('[role=tabpanel] .footnotes').waitFor()
      await shoot('example-preview')
      await page.getByRole('button', { name: 'Publish' }).click()
      await page.waitForURL(/\/posts\/(?!new)[^/]+$/)
      await shoot('example-post')
      for (const path of ['/', '/devices', '/security-log', '/mailbox', '/account', '/token-client', '/nothing']) {
        await page.goto(path)
        await shoot(path === '/' ? 'posts' : path.slice(1))
      }
      await context.close()
    }
  }
} finally {
  await browser.close()
  await demo.stop()
}
console.log(`Pictures in ${folder}`)
