import type { Locator, Page } from 'playwright-core'
import { renderAssets } from '../../../markdown-editor/src/widget/assets.ts'
import {
  MarkdownEditorWidget,
  type MarkdownEditorWidgetOptions,
} from '../../../markdown-editor/src/widget/markdown-editor-widget.ts'
import type { WidgetDefaults } from '../../../markdown-editor/src/widget/widget-defaults.ts'
import type { TestServer } from './test-server.ts'

export interface PageParts {
  /** The names of the fields, with their texts. @default { body: '' } */
  readonly fields?: Readonly<Record<string, string>>
  readonly widget?: MarkdownEditorWidgetOptions
  readonly defaults?: Partial<WidgetDefaults>
  /** HTML at the start of the form. */
  readonly before?: string
}

export function formPage(
  server: TestServer,
  { fields = { body: '' }, widget: options = {}, defaults = {}, before = '' }: PageParts,
): string {
  const widget = new MarkdownEditorWidget({
    ...options,
    editor: { widgetDefaults: { ...server.widgetDefaults, ...defaults } },
  })
  const editors = Object.entries(fields).map(
    ([name, text]) => `<p><label for="id_${name}">${name}</label></p>${widget.render(name, text)}`,
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Test</title>
<link rel="icon" href="/media/icon.png">
${renderAssets(widget.assets)}
</head>
<body>
<form action="/save" method="post">
<input type="hidden" name="csrf_token" value="token-of-the-form">
${before}
${editors.join('\n')}
<button name="action" value="draft">Save draft</button>
<button name="action" value="publish">Publish</button>
</form>
</body>
</html>`
}

export interface OpenPage {
  readonly page: Page
  /** The field of the first editor. */
  readonly text: Locator
  /** Violations of the Content-Security-Policy, and errors of scripts. */
  readonly faults: string[]
  /** A button of the toolbar or the page, by its full name. */
  button(name: string): Locator
  /** Clicks a button of the toolbar. If the button is hidden, first clicks "…". */
  press(name: string): Promise<void>
  select(start: number, end: number): Promise<void>
  /** Returns the start and end of the selection in the first editor. */
  selection(): Promise<number[]>
  /** Returns the selected text of the first editor, or null if another element has the focus. */
  selected(): Promise<string | null>
  /** Returns the last message for screen readers of the first editor. */
  spoken(): Promise<string | null>
}

export async function openPage(
  page: Page,
  server: TestServer,
  parts: PageParts,
): Promise<OpenPage> {
  server.pages.set('/form', formPage(server, parts))
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('console', (message) => {
    const text = message.text()
    if (message.type() === 'error' && /Content Security Policy|TrustedHTML/.test(text))
      faults.push(text)
  })
  await page.goto(`${server.url}/form`)
  const text = page.locator('textarea').first()
  const button = (name: string): Locator => page.getByRole('button', { name, exact: true }).first()
  return {
    page,
    text,
    faults,
    button,
    async press(name) {
      if (!(await button(name).isVisible())) await button('More').click()
      await button(name).click()
    },
    select: (start, end) =>
      text.evaluate(
        (element: HTMLTextAreaElement, [from, to]) => {
          element.focus()
          element.setSelectionRange(from, to)
        },
        [start, end] as const,
      ),
    selection: () =>
      text.evaluate((element: HTMLTextAreaElement) => [
        element.selectionStart,
        element.selectionEnd,
      ]),
    selected: () =>
      text.evaluate((element: HTMLTextAreaElement) =>
        element === document.activeElement
          ? element.value.slice(element.selectionStart, element.selectionEnd)
          : null,
      ),
    spoken: () => page.locator('.md-editor-live').first().textContent(),
  }
}
