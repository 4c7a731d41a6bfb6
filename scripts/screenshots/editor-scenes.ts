import type { Page } from 'playwright-core'
import { DIALOG_SCENES } from './dialog-scenes.ts'
import { chooseFiles, dialogOf, type EditorScene, field, press } from './scene.ts'

async function choose(page: Page, ...names: readonly string[]): Promise<void> {
  await field(page).press('ControlOrMeta+End')
  await chooseFiles(page, page.locator('.md-editor-add'), ...names)
}

async function fillScreen(page: Page): Promise<void> {
  await press(page, 'Full screen')
  await page.locator('markdown-editor[data-fullscreen]').waitFor()
}

/** Adds a text to the textarea in the response of the server. */
async function serve(page: Page, text: string): Promise<void> {
  const { pathname } = new URL(page.url())
  await page.route(
    (url) => url.pathname === pathname,
    async (route) => {
      const response = await route.fetch()
      const body = (await response.text()).replace('</textarea>', () => `${text}</textarea>`)
      await route.fulfill({ response, body })
    },
  )
}

async function comeBack(page: Page): Promise<void> {
  const { pathname } = new URL(page.url())
  await page.getByText(/^Draft saved/).waitFor()
  await page.goto('/')
  await page.goto(pathname)
  await page.locator('.md-editor-drafts').waitFor()
}

/**
 * Edits a text, then loads a text that another person has changed. The editor compares both
 * versions.
 */
async function compare(page: Page, base: string, mine: string, theirs: string): Promise<void> {
  await serve(page, base)
  await page.reload()
  await field(page).fill(mine)
  await serve(page, theirs)
  await comeBack(page)
  await press(page, 'Compare')
  await dialogOf(page).waitFor()
}

const LONG = Array.from({ length: 100 }, (_, index) => `Line ${index} of a long text.`).join('\n\n')

const DRAFTS: readonly EditorScene[] = [
  { name: 'draft-saved', show: (page) => page.getByText(/^Draft saved/).waitFor() },
  {
    name: 'draft-saved-preview',
    async show(page) {
      await page.getByRole('tab', { name: 'Preview' }).click()
      await page.locator('.md-editor-preview table').waitFor()
      await page.getByText(/^Draft saved/).waitFor()
    },
  },
  { name: 'draft-offered', show: (page) => comeBack(page) },
  {
    name: 'draft-outdated',
    async show(page) {
      await serve(page, 'The light was grey.')
      await comeBack(page)
    },
  },
  {
    name: 'draft-fits',
    show: (page) =>
      compare(
        page,
        'One.\n\nTwo.\n\nThree.',
        'One of mine.\n\nTwo.\n\nThree.',
        'One.\n\nTwo.\n\nThree of theirs.',
      ),
    text: '',
    isOverlay: true,
  },
  {
    name: 'draft-long',
    show: (page) => compare(page, LONG, LONG.replace('Line 90', 'My line 90'), `New.\n\n${LONG}`),
    text: '',
    isOverlay: true,
  },
  {
    name: 'draft-conflict',
    show: (page) =>
      compare(page, 'The light was bright.', 'The light was golden.', 'The light was grey.'),
    text: '',
    isOverlay: true,
  },
]

const UPLOADS: readonly EditorScene[] = [
  {
    name: 'uploading',
    async show(page) {
      await page.route('**/md-editor/upload', () => {}) // The upload gets no response.
      await choose(page, 'sunset.png', 'a-photo-with-a-long-name-of-the-harbour-in-the-evening.png')
      await page.getByRole('progressbar').first().waitFor()
    },
  },
  {
    name: 'upload-failed',
    async show(page) {
      await page.route('**/md-editor/upload', (route) => route.fulfill({ status: 500 }))
      await choose(page, 'sunset.png')
      await page.getByText('was not uploaded').first().waitFor()
    },
  },
  {
    name: 'waiting',
    async show(page) {
      await page.route('**/md-editor/upload', () => {}) // The upload gets no response.
      await choose(page, 'sunset.png')
      await page.getByLabel('Title').fill('Evening')
      await press(page, 'Publish')
      await page.getByRole('button', { name: 'Send without the files' }).waitFor()
    },
  },
  {
    name: 'not-sent',
    async show(page) {
      await page.route('**/md-editor/finalize', (route) => route.fulfill({ status: 500 }))
      await page.getByLabel('Title').fill('Evening')
      await field(page).fill('![a](/media/md-editor/tmp/m0000000000000000000000000-a.png)')
      await press(page, 'Publish')
      await page.getByText('The form was not sent').first().waitFor()
    },
  },
]

/** In a narrow window, shows only the preview. */
async function split(page: Page): Promise<void> {
  const tab = page.getByRole('tab', { name: 'Split' })
  await ((await tab.isVisible()) ? tab : page.getByRole('tab', { name: 'Preview' })).click()
  await page.locator('.md-editor-preview table').waitFor()
}

async function showRightToLeft(page: Page): Promise<void> {
  await page.evaluate(() => {
    document.dir = 'rtl'
  })
  await field(page).fill('## مساء في الميناء\n\nكان الضوء **ذهبياً**.\n\n- قاربان\n- نورس')
  await press(page, 'More')
}

const LONG_TEXT = Array.from(
  { length: 20 },
  (_, index) => `## Evening ${index + 1}\n\nThe light was **golden**, the water *still*.\n`,
).join('\n')

export const EDITOR_SCENES: readonly EditorScene[] = [
  { name: 'empty', show: (page) => field(page).focus(), text: '' },
  {
    name: 'empty-preview',
    async show(page) {
      await page.getByRole('tab', { name: 'Preview' }).click()
      await page.getByText('Nothing to preview').waitFor()
    },
    text: '',
  },
  {
    name: 'dragging',
    show: (page) =>
      page.locator('markdown-editor').evaluate((element) => {
        const dataTransfer = new DataTransfer()
        dataTransfer.items.add(new File(['a'], 'sunset.png', { type: 'image/png' }))
        element.dispatchEvent(new DragEvent('dragenter', { dataTransfer, cancelable: true }))
      }),
    text: '',
  },
  {
    name: 'read-only',
    show: (page) =>
      field(page).evaluate((area: HTMLTextAreaElement) => area.toggleAttribute('readonly', true)),
  },
  {
    name: 'disabled',
    show: (page) =>
      field(page).evaluate((area: HTMLTextAreaElement) => area.toggleAttribute('disabled', true)),
  },
  { name: 'right-to-left', show: showRightToLeft, text: '' },
  {
    name: 'long-preview',
    async show(page) {
      await field(page).fill(LONG_TEXT)
      await page.getByRole('tab', { name: 'Preview' }).click()
      await page.locator('.md-editor-preview').getByText('Evening 20').waitFor()
      await page.mouse.wheel(0, 1500)
      await page.waitForFunction(() => window.scrollY > 500)
    },
    isOverlay: true,
  },
  { name: 'split', show: split },
  {
    name: 'heading-menu',
    async show(page) {
      await page.getByRole('button', { name: 'Heading' }).click()
      await page.getByRole('menu').waitFor()
    },
    isOverlay: true,
  },
  {
    name: 'all-buttons',
    async show(page) {
      await page.getByRole('button', { name: 'More' }).click()
    },
  },
  { name: 'fullscreen', show: fillScreen, isOverlay: true },
  {
    name: 'fullscreen-all-buttons',
    async show(page) {
      await fillScreen(page)
      await press(page, 'More')
    },
    isOverlay: true,
  },
  {
    name: 'fullscreen-split',
    async show(page) {
      await split(page)
      await fillScreen(page)
    },
    isOverlay: true,
  },
  {
    name: 'codemirror',
    async show(page) {
      await page
        .locator('markdown-editor')
        .evaluate((element) => element.setAttribute('surface', 'codemirror'))
      await page.locator('.cm-content').waitFor()
    },
  },
  {
    name: 'completion',
    async show(page) {
      await field(page).press('ControlOrMeta+End')
      await page.keyboard.type('@gra')
      await page.getByRole('listbox').waitFor()
    },
  },
  ...DIALOG_SCENES.map((scene) => ({ ...scene, name: `dialog-${scene.name}`, isOverlay: true })),
  ...DRAFTS,
  ...UPLOADS,
]
