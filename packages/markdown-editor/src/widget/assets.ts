import { escapeHtml } from '@quillgate/server/core'

/** The files that a widget needs in the page, as URLs. */
export interface WidgetAssets {
  /** JavaScript modules. */
  readonly js: readonly string[]
  /** Style sheets. */
  readonly css: readonly string[]
}

/** The assets of a widget that needs none. */
export const NO_ASSETS: WidgetAssets = { js: [], css: [] }

/**
 * The tags that load what widgets need, each file once, for the head of the page.
 *
 * @example
 * renderAssets(bodyWidget.assets, summaryWidget.assets)
 */
export function renderAssets(...assets: readonly WidgetAssets[]): string {
  const unique = (list: readonly string[]): string[] => [...new Set(list)]
  const css = unique(assets.flatMap((item) => item.css))
  const js = unique(assets.flatMap((item) => item.js))
  return [
    ...css.map((url) => `<link rel="stylesheet" href="${escapeHtml(url)}">`),
    ...js.map((url) => `<script type="module" src="${escapeHtml(url)}"></script>`),
  ].join('\n')
}
