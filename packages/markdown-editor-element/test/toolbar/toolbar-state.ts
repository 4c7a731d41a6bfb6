import type { Page } from 'playwright-core'

/** Returns the command of the focused button, or the name of another focused element. */
export function focusedCommand(page: Page): Promise<string | null> {
  return page.evaluate(
    () =>
      document.activeElement?.getAttribute('data-command') ??
      document.activeElement?.localName ??
      null,
  )
}

/** Returns the commands of the visible buttons. */
export function shownButtons(page: Page): Promise<(string | null)[]> {
  return page.locator('.md-editor-rows').evaluate((rows) => {
    const { bottom } = rows.getBoundingClientRect()
    return [...rows.querySelectorAll('[data-command]')]
      .filter((button) => button.getBoundingClientRect().bottom <= bottom + 1)
      .map((button) => button.getAttribute('data-command'))
  })
}
