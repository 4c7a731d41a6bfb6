import { decodeHTMLStrict } from 'entities/decode'

/** A part of a text that may be a media URL. */
export interface FoundUrl {
  /** The URL as it is spelled in the text. */
  readonly raw: string
  /** The URL with decoded backslash escapes and character references, but not percent-decoded. */
  readonly url: string
}

/** The position of a URL in a text, and its replacement. */
export interface Rewrite {
  readonly start: number
  readonly end: number
  readonly replacement: string
}

// Matches a media id, or an escape that could hide an id.
const MAYBE_MEDIA = /m[0-9a-hjkmnp-tv-z]{26}|%|&/i
const ESCAPE = /\\([!-/:-@[-`{-~])|&(?:#(?:x[0-9a-f]{1,6}|[0-9]{1,7})|[a-z][a-z0-9]{1,31});/gi

/** Finds all parts of a text that `MediaUrls.parse` may accept, even in code, in linear time. */
export function* findMediaUrls(text: string): Generator<FoundUrl> {
  for (const { raw } of urlRuns(text)) if (MAYBE_MEDIA.test(raw)) yield { raw, url: decode(raw) }
}

function decode(raw: string): string {
  return raw.replace(
    ESCAPE,
    (reference, escaped?: string) => escaped ?? decodeHTMLStrict(reference),
  )
}

/**
 * Replaces URLs everywhere in a text, even in code. Does not replace a part of a longer URL.
 *
 * @param replacements - the replacements, by the URL as it is spelled in the text
 * @example rewriteUrls('![a](/t/a.png)', new Map([['/t/a.png', '/u/a.png']])) // '![a](/u/a.png)'
 */
export function rewriteUrls(text: string, replacements: ReadonlyMap<string, string>): string {
  let rewritten = ''
  let copied = 0
  for (const { start, end, replacement } of findRewrites(text, replacements)) {
    rewritten += text.slice(copied, start) + replacement
    copied = end
  }
  return rewritten + text.slice(copied)
}

/** Returns the changes that {@link rewriteUrls} makes, in the order of the text. */
export function findRewrites(text: string, replacements: ReadonlyMap<string, string>): Rewrite[] {
  if (replacements.size === 0) return []
  return Array.from(urlRuns(text)).flatMap(({ start, raw }) => {
    const replacement = replacements.get(raw)
    return replacement === undefined ? [] : [{ start, end: start + raw.length, replacement }]
  })
}

// Matches text up to the next character that ends a URL in Markdown, HTML or prose.
const RUN = /[^\s\p{Cc}<>"'`()[\]{}|]+/gu

// Text that may be directly before a URL: the name of an attribute (`src=/media/…`) or the size of
// the previous image in a `srcset`. Emphasis and non-ASCII letters may be before an absolute URL.
const BEFORE = /^(?:(?:[a-z-]+=|[\d.]+[wx],)(?=[/h])|[^a-z0-9/\\%&#?.@:]+(?=https?:\/\/))/i

// Trailing characters that belong to the surrounding sentence or emphasis, not to the URL.
const AFTER = /[.,:;!?*_~=\\]|(?![\0-\x7f])\p{P}/u

// If a URL ends with a character reference, its semicolon belongs to the URL, not to the sentence.
const REFERENCE = /&(?:#x?[0-9a-f]{1,7}|[a-z][a-z0-9]{1,31});$/i
const LONGEST_REFERENCE = 34

/** Finds the parts of a text that may be URLs, in linear time and without parsing Markdown. */
export function* urlRuns(text: string): Generator<{ start: number; raw: string }> {
  for (const { 0: run, index } of text.matchAll(RUN)) {
    const from = BEFORE.exec(run)?.[0].length ?? 0
    const raw = run.slice(from, endOfUrl(run, from))
    if (raw !== '') yield { start: index + from, raw }
  }
}

// Uses a loop, because the regular expression `[…]+$` would take quadratic time.
function endOfUrl(run: string, from: number): number {
  let end = run.length
  while (end > from && AFTER.test(run.charAt(end - 1))) {
    if (REFERENCE.test(run.slice(Math.max(from, end - LONGEST_REFERENCE), end))) return end
    end--
  }
  return end
}
