import type { Code } from 'mdast'
import { attributeOf, findElement, type HtmlElement, textOf } from './html-tree.ts'
import { type Declarations, isCodeLayout } from './styles.ts'

declare module 'mdast' {
  interface CodeData {
    /** True for text from a code editor or a terminal. */
    verbatim?: boolean
  }
}

const LINES: ReadonlySet<string> = new Set(['div', 'p', 'li', 'tr'])

/**
 * Returns whether an element is a `pre`, or a `div` that code editors and terminals use instead.
 */
export function isPreformatted(element: HtmlElement, styles: Declarations): boolean {
  if (element.name === 'pre') return true
  return element.name === 'div' && isCodeLayout(styles)
}

/**
 * Reads a block of code.
 *
 * @param around the classes of the element's ancestors that name a language
 */
export function readCode(element: HtmlElement, around: string): Code {
  // Many pages put a bar with the language and a button into the `pre` element.
  const code = element.name === 'pre' ? findElement(element, ({ name }) => name === 'code') : null
  const holder =
    code !== null && textOf(code).trim() !== '' && !hasSecondCode(element) ? code : element
  const lines = linesOf(holder)
    .replace(/\r\n?/g, '\n')
    .replace(/\u00a0/g, ' ')
    .replace(/^\n/, '')
  // A pattern such as `/\n+$/` would take quadratic time.
  let end = lines.length
  while (end > 0 && lines[end - 1] === '\n') end--
  const lang = languageOf([holder, element], around)
  const verbatim = lang === '' && code === null && !element.attributes.has('class')
  return { type: 'code', lang, value: lines.slice(0, end), data: { verbatim } }
}

function hasSecondCode(element: HtmlElement): boolean {
  let count = 0
  findElement(element, ({ name }) => name === 'code' && ++count > 1)
  return count > 1
}

function linesOf(element: HtmlElement): string {
  const parts: string[] = []
  let fresh = true // Whether the next text begins a line.
  const add = (text: string): void => {
    if (text === '') return
    parts.push(text)
    fresh = text.endsWith('\n')
  }
  const read = (node: HtmlElement): void => {
    for (const child of node.children) {
      if (typeof child === 'string') add(child)
      else if (child.name === 'br') add('\n')
      else {
        const isLine = LINES.has(child.name)
        if (isLine && !fresh) add('\n')
        read(child)
        if (isLine && !fresh) add('\n')
      }
    }
  }
  read(element)
  return parts.join('')
}

function languageOf(elements: readonly HtmlElement[], around: string): string {
  const named = elements.map(
    (element) => attributeOf(element, 'data-lang') || attributeOf(element, 'data-language'),
  )
  const classes = `${elements.map((element) => attributeOf(element, 'class')).join(' ')} ${around}`
  const [, listed] =
    /(?:^|\s)(?:language-|lang-|brush:\s?|highlight-(?:source|text)-)([\w+#-]{1,30})/.exec(
      classes,
    ) ?? []
  const language = (named.find((name) => name !== '') ?? listed ?? '')
    .toLowerCase()
    .replace(/-basic$/, '')
  return /^(?:none|plain|plaintext|text|txt)$/.test(language) || !/^[\w+#-]+$/.test(language)
    ? ''
    : language
}
