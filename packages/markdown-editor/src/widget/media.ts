import { escapeHtml } from './attributes.ts'

/** The files that a widget needs in the page, as URLs. */
export interface WidgetMedia {
  /** JavaScript modules. */
  readonly scripts: readonly string[]
  /** Style sheets. */
  readonly styles: readonly string[]
}

/**
 * The tags that load what widgets need, each file once, for the head of the page.
 *
 * @example
 * renderMedia(bodyWidget.media, summaryWidget.media)
 */
export function renderMedia(...media: readonly WidgetMedia[]): string {
  const unique = (list: readonly string[]): string[] => [...new Set(list)]
  const styles = unique(media.flatMap((item) => item.styles))
  const scripts = unique(media.flatMap((item) => item.scripts))
  return [
    ...styles.map((url) => `<link rel="stylesheet" href="${escapeHtml(url)}">`),
    ...scripts.map((url) => `<script type="module" src="${escapeHtml(url)}"></script>`),
  ].join('\n')
}
