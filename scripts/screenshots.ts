// Takes screenshots of the pages of the demo and of its editor: `npm run screenshots [-- folder]`.
// Takes each screenshot in light and dark, wide and narrow. Names select scenes of the editor:
// `npm run screenshots -- folder split dialog-help`.
import { mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { startDemo } from '../tests/support/demo.ts'
import { launchChromium } from '../tests/support/launch-chromium.ts'
import { png } from '../tests/support/png.ts'
import { signIn } from '../tests/support/sign-in.ts'
import { EDITOR_SCENES } from './screenshots/editor-scenes.ts'

const [folder = join(tmpdir(), 'quillgate-screenshots'), ...wanted] = process.argv.slice(2)
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

const demo = await startDemo({
  QUILLGATE_COUNTRY_HEADER: 'cf-ipcountry',
  QUILLGATE_LOGIN_RATE_LIMIT: 'off',
})
const browser = await launchChromium()

async function writePost(page: Page): Promise<string> {
  await page.goto('/posts/new')
  await page.getByLabel('Title').fill('Evening at the harbour')
  const text = page.getByRole('textbox', { name: 'Text' })
  await text.fill(TEXT)
  await text.press('Control+End')
  await page.getByRole('button', { name: 'Image', exact: true }).click()
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose files' }).click(),
  ])
  await chooser.setFiles(picture)
  await page.getByRole('button', { name: 'Insert', exact: true }).click()
  await page.waitForFunction(() => document.querySelector('textarea')?.value.includes('/media/'))
  await page.getByRole('button', { name: 'Publish' }).click()
  await page.waitForURL(/\/posts\/(?!new)[^/]+$/)
  return new URL(page.url()).pathname
}

type Shoot = (what: string) => Promise<unknown>

/** Playwright's full-page screenshots would lose the touch layout. */
async function showAll(page: Page): Promise<void> {
  const { width = 0, height = 0 } = page.viewportSize() ?? {}
  const whole = await page.evaluate(() => document.documentElement.scrollHeight)
  await page.setViewportSize({ width, height: Math.max(height, whole) })
}

/** Signs in on a phone in France, so that the list has a second device. */
async function signInOnPhone(): Promise<void> {
  const phone = await browser.newContext({
    baseURL: demo.url,
    userAgent:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1 Mobile/15E148 Safari/604.1',
    extraHTTPHeaders: { 'cf-ipcountry': 'FR' },
  })
  await signIn(await phone.newPage())
  await phone.close()
}

async function takePages(page: Page, shoot: Shoot): Promise<void> {
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
  await signInOnPhone()
  for (const path of [
    '/',
    '/devices',
    '/security-log',
    '/mailbox',
    '/account',
    '/token-client',
    '/nothing',
  ]) {
    await page.goto(path)
    await shoot(path === '/' ? 'posts' : path.slice(1))
  }
  await page.goto('/docs/markdown-editor-live.md')
  await page.getByRole('button', { name: 'Bold', exact: true }).first().waitFor()
  await shoot('guide')
}

/** Each scene has its own browser context, so that it does not find the drafts of another scene. */
async function takeScenes(
  newContext: () => Promise<BrowserContext>,
  shoot: (page: Page) => Shoot,
): Promise<void> {
  const chosen = EDITOR_SCENES.filter(({ name }) => wanted.length === 0 || wanted.includes(name))
  for (const { name, text = TEXT, show, isOverlay = false } of chosen) {
    const context = await newContext()
    const page = await context.newPage()
    await page.goto('/posts/new')
    await page.getByRole('button', { name: 'Bold', exact: true }).waitFor()
    await page.getByRole('textbox', { name: 'Text' }).fill(text)
    await page.getByText(text === '' ? '0 words' : /^[1-9]\d* words?$/).waitFor()
    await show(page)
    if (!isOverlay) await showAll(page)
    await shoot(page)(name)
    await context.close()
  }
}

try {
  for (const scheme of ['light', 'dark'] as const) {
    for (const width of [1280, 360]) {
      const settings: BrowserContextOptions = {
        baseURL: demo.url,
        colorScheme: scheme,
        viewport: { width, height: 800 },
        hasTouch: width < 400,
        reducedMotion: 'reduce',
        extraHTTPHeaders: { 'cf-ipcountry': scheme === 'light' ? 'DE' : 'BR' },
      }
      const shootOn = (page: Page) => (what: string) =>
        page.screenshot({ path: join(folder, `${what}-${scheme}-${width}.png`) })
      const context = await browser.newContext(settings)
      const page = await context.newPage()
      const shootWhole: Shoot = async (what) => {
        await showAll(page)
        await shootOn(page)(what)
        await page.setViewportSize({ width, height: 800 })
      }
      if (wanted.length === 0) await takePages(page, shootWhole)
      else await signIn(page)
      const storageState = await context.storageState()
      await takeScenes(() => browser.newContext({ ...settings, storageState }), shootOn)
      await context.close()
    }
  }
} finally {
  await browser.close()
  await demo.stop()
}
console.log(`Pictures in ${folder}`)
