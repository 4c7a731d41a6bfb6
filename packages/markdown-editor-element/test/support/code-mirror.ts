import type { Locator } from 'playwright-core'
import type { MarkdownEditorElement } from '../../src/element/index.ts'
import type { OpenPage } from './open-page.ts'

export interface CodeMirrorPage extends OpenPage {
  readonly content: Locator
  /** The text and selection of the surface, as the element returns them. */
  value(): Promise<string>
  fieldValue(): Promise<string>
  /** The names of the `input` and `change` events of the form since the last call. */
  events(): Promise<string[]>
}

export async function useCodeMirror(opened: OpenPage): Promise<CodeMirrorPage> {
  const { page } = opened
  await page
    .locator('markdown-editor')
    .first()
    .evaluate((element) => element.setAttribute('surface', 'codemirror'))
  return withCodeMirror(opened)
}

export async function withCodeMirror(opened: OpenPage): Promise<CodeMirrorPage> {
  const { page, text } = opened
  const content = page.locator('.cm-content').first()
  await content.waitFor()
  await page.evaluate(() => {
    const recorded: string[] = []
    Object.assign(globalThis, { recorded })
    for (const type of ['input', 'change']) {
      document.forms[0]?.addEventListener(type, ({ target }) => {
        if (target instanceof HTMLTextAreaElement) recorded.push(type)
      })
    }
  })
  return {
    ...opened,
    content,
    value: () =>
      page
        .locator('markdown-editor')
        .first()
        .evaluate((element) => (element as MarkdownEditorElement).value),
    fieldValue: () => text.evaluate((element: HTMLTextAreaElement) => element.value),
    events: () =>
      page.evaluate(() => (globalThis as unknown as { recorded: string[] }).recorded.splice(0)),
    select: (start, end) =>
      text.evaluate(
        (element: HTMLTextAreaElement, [from, to]) => {
          element.focus()
          element.setSelectionRange(from, to)
          return new Promise<void>((resolve) =>
            element.addEventListener('selectionchange', () => resolve(), { once: true }),
          )
        },
        [start, end] as const,
      ),
  }
}
