import { longestTicks } from '../commands/code.ts'
import { writeAddress } from '../commands/links.ts'

/**
 * Returns the address of a pasted link or image, or null if it is unsafe or relative. If the
 * address begins with `origin`, that part is removed.
 */
export function safeUrl(value: string, kind: 'link' | 'media', origin: string): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: browsers leave them out of addresses
  const url = value.trim().replace(/[\u0000-\u001f\u007f]/g, '')
  const schemes =
    kind === 'link' ? /^(?:https?:\/\/[^\s/?#]|mailto:.|tel:.)/i : /^https?:\/\/[^\s/?#]/i
  if (!schemes.test(url) || !URL.canParse(url)) return null
  if (origin === '' || !url.startsWith(`${origin}/`)) return url
  const own = url.slice(origin.length)
  return own.startsWith('//') ? url : own
}

/** Writes a code span with more backticks than any run of backticks in the text. */
export function codeSpan(text: string): string {
  const fence = '`'.repeat(longestTicks(text) + 1)
  const isStripped = text.startsWith(' ') && text.endsWith(' ') && /[^ ]/.test(text)
  const pad = isStripped || /^`|`$/.test(text) ? ' ' : ''
  return fence + pad + text + pad + fence
}

/** Writes an image. */
export function imageMarkdown(url: string, alt: string): string {
  return `![${alt.replace(/[\\`*_[\]<>&~^=!]/g, '\\$&')}](${writeAddress(url)})`
}
