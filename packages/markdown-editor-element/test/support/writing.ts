import type { Page } from 'playwright-core'

type Runner = HTMLElement & { run(name: string): Promise<void> }

export async function runCommand(page: Page, name: string): Promise<void> {
  await page
    .locator('markdown-editor')
    .first()
    .evaluate((element, command) => (element as Runner).run(command), name)
}

/** Waits until the commands and the typing help are loaded. Tests type faster than users. */
export async function loadWriting(page: Page): Promise<void> {
  await runCommand(page, 'outdent')
}
