import { escapeHtml } from '@quillgate/markdown/grammar'
import { toDestination } from './urls.ts'

/** Code between as many back quotes as it takes. */
export function codeSpan(text: string): string {
  const fence = '`'.repeat(longestTicks(text) + 1)
  const isStripped = text.startsWith(' ') && text.endsWith(' ') && /[^ ]/.test(text)
  const pad = isStripped || /^`|`$/.test(text) ? ' ' : ''
  return fence + pad + text + pad + fence
}

/** How many back quotes stand in a row at most. */
export function longestTicks(text: string): number {
  let longest = 0
  for (const [ticks] of text.matchAll(/`+/g)) longest = Math.max(longest, ticks.length)
  return longest
}

/** An image: in HTML when it has a size, which markdown cannot tell. */
export function imageMarkdown(url: string, alt: string, width: string, height: string): string {
  const sizes = Object.entries({ width, height }).filter(([, value]) => value !== '')
  if (sizes.length === 0)
    return `![${alt.replace(/[\\`*_[\]<>&~^=!]/g, '\\$&')}](${toDestination(url)})`
  const attributes = [['src', url], ['alt', alt], ...sizes].map(
    ([name, value = '']) => ` ${name}="${escapeHtml(value)}"`,
  )
  return `<img${attributes.join('')}>`
}
