import { defaultPolicy } from '../policy/default-policy.ts'
import type { MarkdownRendererOptions } from './renderer-options.ts'

/** The options of a renderer that the server can send to a preview in the browser as JSON. */
export interface PreviewOptions
  extends Pick<MarkdownRendererOptions, 'policy' | 'embedHosts' | 'alertTitles' | 'maxLength'> {
  /** Null if the renderer has no parser, so that texts are escaped. */
  readonly markdownIt?: null
}

/** Returns the options that differ from the defaults. */
export function toPreviewOptions({
  policy = defaultPolicy,
  embedHosts,
  alertTitles,
  maxLength,
  markdownIt = null,
}: MarkdownRendererOptions): PreviewOptions {
  return {
    ...(policy === defaultPolicy ? {} : { policy }),
    ...(embedHosts === undefined ? {} : { embedHosts }),
    ...(alertTitles === undefined ? {} : { alertTitles }),
    ...(markdownIt === null ? { markdownIt } : {}),
    // JSON has no Infinity.
    ...(maxLength === undefined ? {} : { maxLength: Math.min(maxLength, Number.MAX_SAFE_INTEGER) }),
  }
}
