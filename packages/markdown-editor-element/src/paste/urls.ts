import { writeAddress } from '../commands/links.ts'

/**
 * Returns the address of a pasted link or image as Markdown, or null if it is unsafe or relative.
 * Removes `origin` from the start of the address, unless the rest begins with `//`, which browsers
 * would read as another host.
 */
export function safeUrl(value: string, kind: 'link' | 'media', origin: string): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: browsers leave them out of addresses
  const url = value.trim().replace(/[\u0000-\u001f\u007f]/g, '')
  const schemes =
    kind === 'link' ? /^(?:https?:\/\/[^\s/?#]|mailto:.|tel:.)/i : /^https?:\/\/[^\s/?#]/i
  if (!schemes.test(url) || !URL.canParse(url)) return null
  if (origin === '' || !url.startsWith(`${origin}/`)) return writeAddress(url)
  const own = url.slice(origin.length)
  return writeAddress(own.startsWith('//') ? url : own)
}
