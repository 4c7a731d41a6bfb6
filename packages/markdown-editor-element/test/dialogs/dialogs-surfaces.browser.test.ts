import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { MarkdownEditorElement } from '../../src/element/index.ts'
import { PHOTO } from '../support/choose-files.ts'
import { useTestSite } from '../support/test-site.ts'

describe.each(['native', 'codemirror'] as const)(
  'dialogs and completions on the surface %s',
  (surface) => {
    const site = useTestSite()
    const value = (page: Page): Promise<string> =>
      page.locator('markdown-editor').evaluate((editor: MarkdownEditorElement) => editor.value)

    async function openAtEnd(body: string): Promise<Page> {
      const { page } = await site.open({ fields: { body }, widget: { surface } })
      const target = page.locator(surface === 'native' ? 'textarea' : '.cm-content')
      await target.focus()
      await page.keyboard.press('Control+End')
      return page
    }

    it('turn the selection into a link, in one undo step', async () => {
      const page = await openAtEnd('see here')
      await page.keyboard.press('Control+Shift+ArrowLeft')
      await page.keyboard.press('Control+k')
      await page.getByLabel('Address').fill('/a')
      await page.keyboard.press('Enter')
      await expect.poll(() => value(page)).toBe('see [here](/a)')
      await page.keyboard.press('Control+z')
      await expect.poll(() => value(page)).toBe('see here')
    })

    it('restore the selection on Escape', async () => {
      const page = await openAtEnd('see here')
      await page.keyboard.press('Control+Shift+ArrowLeft')
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog').waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await page.keyboard.type('X')
      await expect.poll(() => value(page)).toBe('see X')
    })

    it('change the table at the caret', async () => {
      const page = await openAtEnd('| a |\n| - |\n| b |')
      await page.getByRole('button', { name: 'Table' }).click()
      await page.getByRole('button', { name: 'Insert below' }).click()
      await expect.poll(() => value(page)).toBe('| a   |\n| --- |\n| b   |\n|     |')
      await page.keyboard.type('c')
      await expect.poll(() => value(page)).toContain('\n| c')
    })

    it('replace the file of the image at the caret', async () => {
      const page = await openAtEnd('a ![b](/c.png)')
      await page.keyboard.press('ArrowLeft')
      await page.getByRole('button', { name: 'Image', exact: true }).click()
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        page.getByRole('button', { name: 'Choose a file' }).click(),
      ])
      await chooser.setFiles(PHOTO)
      await page.getByRole('button', { name: 'Apply' }).click()
      await expect.poll(() => value(page)).toMatch(/^a !\[b\]\(\/media\/\S+-photo\.png\)$/)
      await page.keyboard.press('Control+z')
      await expect.poll(() => value(page)).toBe('a ![b](/c.png)')
    })

    it('show completions next to the caret', async () => {
      const page = await openAtEnd('one\n\ntwo\n\n')
      await page.locator('markdown-editor').evaluate((editor: MarkdownEditorElement) => {
        editor.completions = [
          {
            trigger: '@',
            search: (query) =>
              ['ada', 'grace']
                .filter((label) => label.startsWith(query))
                .map((label) => ({ label })),
          },
        ]
      })
      await page.keyboard.type('by @')
      await page.getByRole('option', { name: 'ada' }).waitFor()
      await page.waitForLoadState('networkidle') // The code that locates the caret is being loaded.
      await page.keyboard.press('ArrowDown')
      await page.keyboard.type('g')
      await page.getByRole('option', { name: 'ada' }).waitFor({ state: 'detached' })
      const [list, editor] = await Promise.all(
        [page.getByRole('listbox'), page.locator('.md-editor-surface, textarea').first()].map(
          (part) => part.boundingBox(),
        ),
      )
      expect(list?.y).toBeGreaterThan(editor?.y ?? 0)
      expect((list?.y ?? 0) - (editor?.y ?? 0)).toBeLessThan(200) // The field is 300 px high.
      await page.keyboard.press('Enter')
      await expect.poll(() => value(page)).toBe('one\n\ntwo\n\nby @grace ')
      await page.keyboard.press('Control+z')
      await expect.poll(() => value(page)).toBe('one\n\ntwo\n\nby @g')
      await page.keyboard.press('Escape')
      await page.keyboard.press('Enter')
      await expect.poll(() => value(page)).toBe('one\n\ntwo\n\nby @g\n')
    })

    it('open in full screen, where Escape closes only the dialog', async () => {
      const page = await openAtEnd('text')
      await page.getByRole('button', { name: 'Full screen' }).click()
      await page.locator('markdown-editor[data-fullscreen]').waitFor()
      await page.getByRole('button', { name: 'Link' }).click()
      await page.getByRole('dialog', { name: 'Link' }).waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('dialog', { name: 'Link' }).waitFor({ state: 'detached' })
      expect(await page.locator('markdown-editor[data-fullscreen]').count()).toBe(1)
    })
  },
)
