import type { Page } from 'playwright-core'
import { chooseFiles, dialogOf, type EditorScene, field, press, pressTool } from './scene.ts'

/** `EDITOR_SCENES` adds the prefix `dialog-` to the names. */
export const DIALOG_SCENES: readonly EditorScene[] = [
  {
    name: 'link',
    async show(page) {
      await pressTool(page, 'Link')
      await dialogOf(page).getByLabel('Address').fill('example.org/harbour')
    },
    text: 'harbour',
  },
  {
    name: 'link-refused',
    async show(page) {
      await pressTool(page, 'Link')
      await dialogOf(page).getByLabel('Address').fill('javascript:alert(1)')
      await page.keyboard.press('Enter')
      await page.getByRole('alert').getByText('javascript:').waitFor()
    },
    text: '',
  },
  {
    name: 'table',
    async show(page) {
      await pressTool(page, 'Table')
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
      await pressTool(page, 'Table')
      await dialogOf(page).getByText('Edit table').waitFor()
    },
    text: '| Hour | Water |\n|---:|---|\n| 18 | falling |',
  },
  {
    name: 'embed',
    async show(page) {
      await pressTool(page, 'Embed')
      await dialogOf(page).getByLabel('Address').fill('https://youtu.be/dQw4w9WgXcQ')
    },
    text: '',
  },
  {
    name: 'image',
    async show(page) {
      await pressTool(page, 'Image')
      await dialogOf(page).getByLabel('Address').fill('example.org/harbour.png')
      await dialogOf(page).getByLabel('Description').fill('The harbour')
    },
    text: '',
  },
  {
    name: 'image-file',
    async show(page) {
      await pressTool(page, 'Image')
      await chooseFiles(
        page,
        dialogOf(page).getByText('Choose files'),
        'a-photo-with-a-long-name-of-the-harbour.png',
      )
    },
    text: '',
  },
  {
    name: 'image-files',
    async show(page) {
      await pressTool(page, 'Image')
      await chooseFiles(
        page,
        dialogOf(page).getByText('Choose files'),
        'harbour.png',
        'boats.png',
        'gull.png',
      )
    },
    text: '',
  },
  {
    name: 'image-refused',
    async show(page) {
      await pressTool(page, 'Image')
      await chooseFiles(page, dialogOf(page).getByText('Choose files'), 'harbour.xyz')
    },
    text: '',
  },
  {
    name: 'image-edit',
    async show(page) {
      await field(page).evaluate((area: HTMLTextAreaElement) => area.setSelectionRange(12, 12))
      await pressTool(page, 'Image')
      await chooseFiles(page, dialogOf(page).getByText('Choose a file'), 'harbour.png')
    },
    text: 'Evening ![The harbour](/harbour.png)',
  },
  {
    name: 'embed-link',
    async show(page) {
      await pressTool(page, 'Embed')
      await dialogOf(page).getByLabel('Address').fill('https://example.org/harbour')
      await dialogOf(page).getByText('cannot be embedded, only linked').waitFor()
    },
    text: '',
  },
  { name: 'video', show: (page) => openDialog(page, 'Video'), text: '' },
  { name: 'document', show: (page) => openDialog(page, 'Document'), text: '' },
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

async function openDialog(page: Page, tool: string): Promise<void> {
  await pressTool(page, tool)
  await dialogOf(page).waitFor()
}
