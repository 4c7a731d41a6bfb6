import type { Locator, Page } from 'playwright-core'

/** Something that an editor shows, to be brought about on a page with the form of a new post. */
export interface EditorScene {
  readonly name: string
  /** What the field holds. @default the text of the other pictures */
  readonly text?: string
  readonly show: (page: Page) => Promise<unknown>
  /** True when the picture is of the window only, as what is shown is laid over it. */
  readonly isOverlay?: boolean
}

const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).first().click()

const dialogOf = (page: Page): Locator => page.getByRole('dialog')

const field = (page: Page): Locator => page.getByRole('textbox', { name: 'Text', exact: true }).first()

/** Chooses files as by the button below the text. */
async function choose(page: Page, ...names: readonly string[]): Promise<void> {
  await field(page).press('ControlOrMeta+End')
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    press(page, 'Paste, drop, or click to add files'),
  ])
  await chooser.setFiles(names.map((name) => ({ name, mimeType: 'image/png', buffer: Buffer.alloc(200_000, 1) })))
}

async function fillScreen(page: Page): Promise<void> {
  await press(page, 'Full screen')
  await page.locator('markdown-editor[data-fullscreen]').waitFor()
}

/** Puts a text into the form as if the server had it. */
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

/** Leaves the page with a draft, and comes back to it. */
async function comeBack(page: Page): Promise<void> {
  const { pathname } = new URL(page.url())
  await page.getByText(/^Draft saved/).waitFor()
  await page.goto('/')
  await page.goto(pathname)
  await page.locator('.md-editor-drafts').waitFor()
}

/** Writes into a text that somebody else changes meanwhile, and compares the two. */
async function compare(page: Page, base: string, mine: string, theirs: string): Promise<void> {
  await serve(page, base)
  await page.reload()
  await field(page).fill(mine)
  await serve(page, theirs)
  await comeBack(page)
  await press(page, 'Compare')
  await dialogOf(page).waitFor()
}

/** The dialogs, without the first part of their names. */
const DIALOGS: readonly EditorScene[] = [
  {
    name: 'link',
    async show(page) {
      await press(page, 'Link')
      await dialogOf(page).getByLabel('Address').fill('example.org/harbour')
      await dialogOf(page).getByText('[harbour]').waitFor()
    },
    text: 'harbour',
  },
  {
    name: 'link-refused',
    async show(page) {
      await press(page, 'Link')
      await dialogOf(page).getByLabel('Address').fill('javascript:alert(1)')
      await page.keyboard.press('Enter')
      await page.getByRole('alert').getByText('javascript:').waitFor()
    },
    text: '',
  },
  {
    name: 'table',
    async show(page) {
      await press(page, 'Table')
      await dialogOf(page).waitFor()
      await page.keyboard.press('ArrowRight')
      await page.keyboard.press('ArrowDown')
    },
    text: '',
  },
  {
    name: 'table-edit',
    async show(page) {
      await field(page).press('ControlOrMeta+Home')
      await press(page, 'Table')
      await dialogOf(page).getByText('Change the table').waitFor()
    },
    text: '| Hour | Water |\n|---:|---|\n| 18 | falling |',
  },
  {
    name: 'embed',
    async show(page) {
      await press(page, 'Embed')
      await dialogOf(page).getByLabel('Address').fill('https://youtu.be/dQw4w9WgXcQ')
      await dialogOf(page).getByText('Show the player').waitFor()
    },
    text: '',
  },
  {
    name: 'help',
    async show(page) {
      await press(page, 'Help')
      await dialogOf(page).getByText('Keys', { exact: true }).waitFor()
    },
  },
  {
    name: 'help-markdown',
    async show(page) {
      await press(page, 'Help')
      await dialogOf(page).getByText('Markdown', { exact: true }).click()
    },
  },
]

const DRAFTS: readonly EditorScene[] = [
  { name: 'draft-offered', show: (page) => comeBack(page) },
  {
    name: 'draft-fits',
    show: (page) => compare(page, 'One.\n\nTwo.', 'One of mine.\n\nTwo.', 'One.\n\nTwo of theirs.'),
    text: '',
    isOverlay: true,
  },
  {
    name: 'draft-conflict',
    show: (page) => compare(page, 'The light was bright.', 'The light was golden.', 'The light was grey.'),
    text: '',
    isOverlay: true,
  },
]

const UPLOADS: readonly EditorScene[] = [
  {
    name: 'uploading',
    async show(page) {
      await page.route('**/md-editor/upload', () => {}) // Never answered.
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

/** All of them. */
export const EDITOR_SCENES: readonly EditorScene[] = [
  {
    name: 'split',
    async show(page) {
      await page.getByRole('tab', { name: 'Split' }).click()
      await page.locator('.md-editor-preview table').waitFor()
    },
  },
  { name: 'fullscreen', show: fillScreen, isOverlay: true },
  {
    name: 'fullscreen-split',
    async show(page) {
      await page.getByRole('tab', { name: 'Split' }).click()
      await page.locator('.md-editor-preview table').waitFor()
      await fillScreen(page)
    },
    isOverlay: true,
  },
  {
    name: 'codemirror',
    async show(page) {
      await page.locator('markdown-editor').evaluate((element) => element.setAttribute('surface', 'codemirror'))
      await page.locator('.cm-content').waitFor()
    },
  },
  {
    name: 'completion',
    async show(page) {
      await field(page).press('ControlOrMeta+End')
      await page.keyboard.type(':sun')
      await page.getByRole('listbox').waitFor()
    },
  },
  ...DIALOGS.map((scene) => ({ ...scene, name: `dialog-${scene.name}`, isOverlay: true })),
  ...DRAFTS,
  ...UPLOADS,
]
