import { decodeHTMLStrict } from 'entities/decode'
import { urlRuns } from './rewrite-urls.ts'

/** A part of a text that may be a media URL. */
export interface FoundUrl {
  /** The part as the text spells it. */
  readonly raw: string
  /** The URL: backslash escapes and character references are decoded, percent codes are not. */
  readonly url: string
}

// A media id, or an escape that may hide one.
const MAYBE = /m[0-9a-hjkmnp-tv-z]{26}|%|&/i
const ESCAPE = /\\([!-/:-@[-`{-~])|&(?:#(?:x[0-9a-f]{1,6}|[0-9]{1,7})|[a-z][a-z0-9]{1,31});/gi

/**
 * Finds every part of a text that may be a media URL, also in code and comments, in linear time.
 * `MediaUrls.parse` decides whether it is one.
 */
export function* findMediaUrls(text: string): Generator<FoundUrl> {
  for (const { raw } of urlRuns(text)) if (MAYBE.test(raw)) yield { raw, url: decode(raw) }
}

function decode(raw: string): string {
  return raw.replace(
    ESCAPE,
    (reference, escaped?: string) => escaped ?? decodeHTMLStrict(reference),
  )
}
