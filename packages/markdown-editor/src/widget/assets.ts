import { escapeHtml } from '@quillgate/server/core'
import { type ClientAssets, createClientAssets } from '@quillgate/server/http'

/** The URLs of the files that a widget needs in the page. */
export interface WidgetAssets {
  /** JavaScript modules. */
  readonly js: readonly string[]
  /** Style sheets. */
  readonly css: readonly string[]
}

/** The assets of a widget that needs none. */
export const NO_ASSETS: WidgetAssets = { js: [], css: [] }

/**
 * Returns the tags that load what widgets need, each file once, for the head of the page.
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

/** The built client: the script and style sheet of widgets, and the parts that they load. */
export const clientAssets: ClientAssets = createClientAssets(
  '@quillgate/markdown-editor-element',
  import.meta.url,
)

/** Returns where the files of this build are served, with a final slash. */
export function assetBaseOf(basePath: string): string {
  return clientAssets.base(`${basePath}/assets/`)
}
