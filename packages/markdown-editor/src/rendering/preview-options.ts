import { defaultPolicy } from './policy/default-policy.ts'
import type { MarkdownRendererOptions } from './renderer-options.ts'

/** Options of a renderer that are data: JSON can hold them, and a preview in the browser can have them too. */
export type PreviewOptions = Pick<MarkdownRendererOptions, 'policy' | 'embedHosts' | 'alertTitles' | 'maxLength'>

/** Those options that were given and say something else than the default. */
export function toPreviewOptions({
  policy = defaultPolicy,
  embedHosts,
  alertTitles,
  maxLength,
}: MarkdownRendererOptions): PreviewOptions {
  return {
    ...(policy === defaultPolicy ? {} : { policy }),
    ...(embedHosts === undefined ? {} : { embedHosts }),
    ...(alertTitles === undefined ? {} : { alertTitles }),
    // JSON has no Infinity.
    ...(maxLength === undefined ? {} : { maxLength: Math.min(maxLength, Number.MAX_SAFE_INTEGER) }),
  }
}
