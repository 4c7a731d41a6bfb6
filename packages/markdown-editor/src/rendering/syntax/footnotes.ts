import type { MarkdownIt, StateCore, StateInline, Token } from 'markdown-it'
import { type Footnote, footnotesOf, readDefinition } from './footnote-definitions.ts'

// Of one footnote; more are of no use to a reader.
const maxBacklinks = 100
const reference = /\[\^([^\s[\]]{1,100})\]/y

/**
 * Reads footnotes as GitHub does: `text[^label]` and `[^label]: note`. They are numbered by their first reference and
 * stand at the end; those without a reference are left out. A footnote links back to its first 100 references.
 *
 * @param idPrefix - what each id begins with
 */
export function addFootnotes(parser: MarkdownIt, idPrefix: string): void {
  parser.block.ruler.before('reference', 'footnote_definition', readDefinition, {
    alt: ['paragraph', 'reference', 'blockquote', 'list'],
  })
  parser.inline.ruler.before('link', 'footnote_reference', (state, silent) => readReference(state, silent, idPrefix))
  parser.core.ruler.push('footnotes', (state) => moveToEnd(state, idPrefix))
  parser.renderer.rules['footnote_html'] = (tokens, index) => tokens[index]?.content ?? ''
}

function readReference(state: StateInline, silent: boolean, idPrefix: string): boolean {
  reference.lastIndex = state.pos
  const match = reference.exec(state.src)
  if (match === null || reference.lastIndex > state.posMax) return false
  const { defined, referenced } = footnotesOf(state.env)
  const footnote = defined.get(state.md.utils.normalizeReference(match[1] ?? ''))
  if (footnote === undefined) return false
  state.pos += match[0].length
  if (silent) return true
  if (footnote.number === 0) footnote.number = referenced.push(footnote)
  footnote.references++
  const { number, references } = footnote
  const link = `<a href="#${idPrefix}fn-${number}" id="${referenceId(idPrefix, number, references)}">${number}</a>`
  state.push('footnote_html', '', 0).content = `<sup class="footnote-ref">${link}</sup>`
  return true
}

function referenceId(idPrefix: string, number: number, count: number): string {
  return `${idPrefix}fnref-${number}${count === 1 ? '' : `-${count}`}`
}

function moveToEnd(state: StateCore, idPrefix: string): void {
  const { defined, referenced } = footnotesOf(state.env)
  if (defined.size === 0) return
  const { body, notes } = takeOut(state.tokens)
  state.tokens = body
  if (referenced.length === 0) return
  const html = (content: string): Token => Object.assign(new state.Token('footnote_html', '', 0), { content })
  state.tokens.push(html('<section class="footnotes">\n<ol>\n'))
  for (const footnote of referenced) {
    const content = notes.get(footnote) ?? []
    const links = html(backlinks(footnote, idPrefix))
    content.splice(content.at(-1)?.type === 'paragraph_close' ? -1 : content.length, 0, links)
    state.tokens.push(html(`<li id="${idPrefix}fn-${footnote.number}">\n`), ...content, html('</li>\n'))
  }
  state.tokens.push(html('</ol>\n</section>\n'))
}

function backlinks({ number, references }: Footnote, idPrefix: string): string {
  return Array.from({ length: Math.min(references, maxBacklinks) }, (_, index) => {
    const [id, which] = [referenceId(idPrefix, number, index + 1), index === 0 ? '' : `<sup>${index + 1}</sup>`]
    return ` <a href="#${id}" class="footnote-backref" aria-label="Back to reference ${number}">↩${which}</a>`
  }).join('')
}

function takeOut(tokens: readonly Token[]): { body: Token[]; notes: Map<Footnote, Token[]> } {
  const body: Token[] = []
  const notes = new Map<Footnote, Token[]>()
  const targets = [body]
  for (const token of tokens) {
    if (token.type === 'footnote_close') targets.pop()
    else if (token.type === 'footnote_open') {
      const content: Token[] = []
      targets.push(content)
      const footnote = token.meta?.['footnote'] as Footnote | null
      if (footnote !== null) notes.set(footnote, content)
    } else targets.at(-1)?.push(token)
  }
  return { body, notes }
}
