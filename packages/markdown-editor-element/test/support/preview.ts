import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Locator, Page } from 'playwright-core'
import type { OpenPage } from './open-page.ts'

const CLIENT = fileURLToPath(new URL('../../src/preview', import.meta.url))

export const OWN_WORKER = '/own.worker.js'

export function openPreview({ page }: OpenPage, index = 0): Promise<void> {
  return page.getByRole('tab', { name: 'Preview' }).nth(index).click()
}

export function previewPane({ page }: OpenPage, index = 0): Locator {
  return page.locator('.md-editor-preview').nth(index)
}

/** Changes a text while its preview is open. */
export function writeHidden({ page }: OpenPage, text: string, index = 0): Promise<void> {
  const field = page.locator('textarea').nth(index)
  return field.evaluate((element: HTMLTextAreaElement, value) => {
    element.value = value
    element.dispatchEvent(new Event('input', { bubbles: true }))
  }, text)
}

/** @param code a module that uses `servePreview` */
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

/**
 * Returns the expected content of a preview: the HTML as the page parses it, with links that open
 * in a new tab.
 */
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
