import { escapeHtml } from '@quillgate/server/core'

/** The files that a widget needs in the page, as URLs. */
export interface WidgetMedia {
  /** JavaScript modules. */
  readonly js: readonly string[]
  /** Style sheets. */
  readonly css: readonly string[]
}

/** The media of a widget that needs none. */
export const NO_MEDIA: WidgetMedia = { js: [], css: [] }

/**
 * The tags that load what widgets need, each file once, for the head of the page.
 *
 * @example
 * renderMedia(bodyWidget.media, summaryWidget.media)
 */
export function renderMedia(...media: readonly WidgetMedia[]): string {
  const unique = (list: readonly string[]): string[] => [...new Set(list)]
  const css = unique(media.flatMap((item) => item.css))
  const js = unique(media.flatMap((item) => item.js))
  return [
    ...css.map((url) => `<link rel="stylesheet" href="${escapeHtml(url)}">`),
    ...js.map((url) => `<script type="module" src="${escapeHtml(url)}"></script>`),
  ].join('\n')
}
