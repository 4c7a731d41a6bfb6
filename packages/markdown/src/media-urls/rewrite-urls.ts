/** A part of a text that may be a URL: `text.slice(start, end)`. */
export interface UrlRun {
  readonly start: number
  readonly end: number
  readonly raw: string
}

/** The position of a URL in a text, and its replacement. */
export interface Rewrite {
  readonly start: number
  readonly end: number
  readonly replacement: string
}

/**
 * Replaces URLs everywhere in a text, in code and comments too, but not where one is only a part of
 * another URL.
 *
 * @param replacements - from a URL, exactly as the text spells it, to its replacement
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
  const rewrites: Rewrite[] = []
  for (const { start, end, raw } of urlRuns(text)) {
    const replacement = replacements.get(raw)
    if (replacement !== undefined) rewrites.push({ start, end, replacement })
  }
  return rewrites
}

// A URL ends at these characters in Markdown, HTML and prose alike.
const RUN = /[^\s\p{Cc}<>"'`()[\]{}|]+/gu

// Characters that may precede a URL directly: an attribute (`src=/media/…`), the size of the
// previous candidate in a `srcset`, and emphasis or non-ASCII letters before an absolute URL.
const BEFORE = /^(?:(?:[a-z-]+=|[\d.]+[wx],)(?=[/h])|[^a-z0-9/\\%&#?.@:]+(?=https?:\/\/))/i

// Trailing characters that end the surrounding sentence or emphasis, not the URL.
const AFTER = /[.,:;!?*_~=\\]|(?![\0-\x7f])\p{P}/u

// A character reference at the end belongs to the URL, unlike the semicolon of a sentence.
const REFERENCE = /&(?:#x?[0-9a-f]{1,7}|[a-z][a-z0-9]{1,31});$/i
const LONGEST_REFERENCE = 34

/**
 * Finds the parts of a text that may be URLs. It reads the text once, without its grammar, in time
 * that is linear in its length.
 */
export function* urlRuns(text: string): Generator<UrlRun> {
  for (const { 0: run, index } of text.matchAll(RUN)) {
    const from = BEFORE.exec(run)?.[0].length ?? 0
    const to = endOfUrl(run, from)
    if (to > from) yield { start: index + from, end: index + to, raw: run.slice(from, to) }
  }
}

// A loop, because `[…]+$` takes quadratic time.
function endOfUrl(run: string, from: number): number {
  let end = run.length
  while (end > from && AFTER.test(run.charAt(end - 1))) {
    if (REFERENCE.test(run.slice(Math.max(from, end - LONGEST_REFERENCE), end))) return end
    end--
  }
  return end
}
