import type { Locator, Page } from 'playwright-core'

export interface EditorScene {
  readonly name: string
  /** The content of the field. @default the text of the other screenshots */
  readonly text?: string
  readonly show: (page: Page) => Promise<unknown>
  /** True if the scene covers the page, as a dialog does. The screenshot then shows the window. */
  readonly isOverlay?: boolean
}

export const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).first().click()

/** If the button is not in the first row, first presses "More". */
export async function pressTool(page: Page, name: string): Promise<void> {
  const tool = page.getByRole('button', { name, exact: true }).first()
  if (!(await tool.isVisible())) await press(page, 'More')
  await tool.click()
}

export const dialogOf = (page: Page): Locator => page.getByRole('dialog')

export const field = (page: Page): Locator =>
  page.getByRole('textbox', { name: 'Text', exact: true }).first()

export async function chooseFiles(
  page: Page,
  button: Locator,
  ...names: readonly string[]
): Promise<void> {
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), button.click()])
  await chooser.setFiles(
    names.map((name) => ({
      name,
      mimeType: name.endsWith('.png') ? 'image/png' : 'application/x-unknown',
      buffer: Buffer.alloc(200_000, 1),
    })),
  )
}
