import type { Token } from 'markdown-it'
import { AuthorRun, authorTagOf } from './author-run.ts'

/** The text that readers see of inline tokens: without markup, images, and what is dropped with a script. */
export function textOf(tokens: readonly Token[]): string {
  let run: AuthorRun | null = null
  let text = ''
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] as Token
    text += plainText(token)
    if (token.type !== 'html_inline') continue
    run ??= new AuthorRun(tokens.map(authorTagOf))
    index = run.dropsTo(index)
  }
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
