import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Locator, Page } from 'playwright-core'
import type { OpenPage } from './open-page.ts'

const CLIENT = fileURLToPath(new URL('../../src/preview', import.meta.url))

/** Where pages find a Worker of their own. */
export const OWN_WORKER = '/own.worker.js'

/** Shows the preview of an editor. */
export function openPreview({ page }: OpenPage, index = 0): Promise<void> {
  return page.getByRole('tab', { name: 'Preview' }).nth(index).click()
}

/** Where the preview of an editor is. */
export function previewPane({ page }: OpenPage, index = 0): Locator {
  return page.locator('.md-editor-preview').nth(index)
}

/** Changes a text while its preview is shown. */
export function writeHidden({ page }: OpenPage, text: string, index = 0): Promise<void> {
  const field = page.locator('textarea').nth(index)
  return field.evaluate((element: HTMLTextAreaElement, value) => {
    element.value = value
    element.dispatchEvent(new Event('input', { bubbles: true }))
  }, text)
}

/** Gives all editors of a page a Worker of its own: the code of a module that has `servePreview`. */
export async function useOwnWorker(page: Page, code: string): Promise<void> {
  const contents = `import { servePreview } from './serve-preview.ts'\n${code}`
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: CLIENT, loader: 'ts' },
    bundle: true,
    format: 'esm',
    write: false,
    conditions: ['@quillgate/source'],
  })
  const body = outputFiles[0]?.text ?? ''
  await page.route(`**${OWN_WORKER}`, (route) =>
    route.fulfill({ contentType: 'text/javascript', body }),
  )
  await page.locator('markdown-editor').evaluateAll((all, url) => {
    for (const editor of all) editor.setAttribute('preview-worker', url)
  }, OWN_WORKER)
}

/** What a preview should hold for a text's HTML: the page's own parser has read it, and links open elsewhere. */
export function asShown(page: Page, html: string): Promise<string> {
  return page.evaluate((text) => {
    const scope = globalThis as unknown as Record<
      symbol,
      { createHTML(text: string): string } | undefined
    >
    const element = document.createElement('template')
    element.innerHTML = scope[Symbol.for('quillgate.trusted-types')]?.createHTML(text) ?? text
    for (const link of element.content.querySelectorAll<HTMLAnchorElement>(
      'a[href]:not([href^="#"])',
    )) {
      link.target = '_blank'
      link.relList.add('noopener')
    }
    return element.innerHTML
  }, html)
}
