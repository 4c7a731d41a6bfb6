import { escapeHtml } from '@quillgate/server/core'
import { type ClientAssets, createClientAssets } from '@quillgate/server/http'

/** The URLs of the files that a widget needs in the page. */
export interface WidgetAssets {
  readonly js: readonly string[]
  readonly css: readonly string[]
}

/** The assets of a widget that needs no scripts or style sheets. */
export const NO_ASSETS: WidgetAssets = { js: [], css: [] }

/**
 * Returns HTML tags for the head of a page. The tags load the assets of widgets, each file once.
 *
 * @example
 * renderAssets(bodyWidget.assets, summaryWidget.assets)
 */
export function renderAssets(...assets: readonly WidgetAssets[]): string {
  const css = new Set(assets.flatMap((item) => item.css))
  const js = new Set(assets.flatMap((item) => item.js))
  return [
    ...[...css].map((url) => `<link rel="stylesheet" href="${escapeHtml(url)}">`),
    ...[...js].map((url) => `<script type="module" src="${escapeHtml(url)}"></script>`),
  ].join('\n')
}

/** The built client: script, style sheet, and the chunks that the script loads. */
export const clientAssets: ClientAssets = createClientAssets(
  '@quillgate/markdown-editor-element',
  import.meta.url,
)
