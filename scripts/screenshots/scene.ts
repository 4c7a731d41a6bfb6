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

export const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).first().click()

export const dialogOf = (page: Page): Locator => page.getByRole('dialog')

/** The field of the text. */
export const field = (page: Page): Locator =>
  page.getByRole('textbox', { name: 'Text', exact: true }).first()
