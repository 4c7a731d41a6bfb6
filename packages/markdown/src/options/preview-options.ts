import { defaultPolicy } from '../policy/default-policy.ts'
import type { MarkdownRendererOptions } from './renderer-options.ts'

/** Options of a renderer that are data: JSON can hold them, and a preview in the browser can have them too. */
export interface PreviewOptions
  extends Pick<MarkdownRendererOptions, 'policy' | 'embedHosts' | 'alertTitles' | 'maxLength'> {
  /** Null when the renderer has no parser, so that it shows texts as they are written. */
  readonly markdownIt?: null
}

/** Those options that were given and say something else than the default. */
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
