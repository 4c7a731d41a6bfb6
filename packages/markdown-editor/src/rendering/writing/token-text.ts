import type { Token } from 'markdown-it'

/** What is left of inline tokens without markup and images. */
export function textOf(tokens: readonly Token[]): string {
  let text = ''
  for (const token of tokens) text += plainText(token)
  return text
}

/** The text that stands for an image: unlike other text, it has that of images in it, and raw HTML as it is. */
export function altOf(tokens: readonly Token[]): string {
  let text = ''
  for (const token of tokens) {
    if (token.type === 'html_inline') text += token.content
    else text += token.type === 'image' ? altOf(token.children ?? []) : plainText(token)
  }
  return text
}

function plainText({ type, content }: Token): string {
  if (type === 'text' || type === 'code_inline') return content
  return type === 'softbreak' || type === 'hardbreak' ? '\n' : ''
}
