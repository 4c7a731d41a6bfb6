import type { Code } from 'mdast'
import { findElement, type HtmlElement, textOf } from './html-tree.ts'
import { languageOf } from './styles.ts'

declare module 'mdast' {
  interface CodeData {
    /** True for text from a code editor or a terminal. */
    verbatim?: boolean
  }
}

/**
 * Reads a block of code.
 *
 * @param language the language that the element or its nearest ancestor names
 */
export function readCode(element: HtmlElement, language: string): Code {
  // Reads only the `code` of a `pre` if there is just one, because pages add a bar with a button.
  const code = findElement(element, ({ name }) => name === 'code')
  const second = findElement(element, (each) => each.name === 'code' && each !== code)
  const isOnly = element.name === 'pre' && code !== null && second === null
  const holder = isOnly && textOf(code).trim() !== '' ? code : element
  const value = textOf(holder)
    .replace(/\r\n?/g, '\n')
    .replace(/\u00a0/g, ' ')
    .replace(/^\n/, '')
    .replace(/(?<!\n)\n+$/, '') // Without the lookbehind, this takes quadratic time.
  const lang = languageOf(holder) || language
  const verbatim = lang === '' && code === null && !element.attributes.has('class')
  return { type: 'code', lang, value, data: { verbatim } }
}
