import { type Edit, replacing, type TextState } from '../commands/edit.ts'
import { escapeBrackets, writeAddress } from '../commands/links.ts'
import { trustHtml } from '../dom/trusted-types.ts'
import { htmlToMarkdown } from './html-to-markdown.ts'
import { type HtmlTree, readTree, renameParts } from './html-tree.ts'
import { isNestedTooDeep } from './nesting.ts'
import { isInCell, isInLabel, isLiteral, placeBlocks, placeInline } from './place.ts'

/** The content of a clipboard; a missing type is `''`. */
export interface Clip {
  readonly html: string
  readonly text: string
}

interface PasteOptions {
  /** The origin that is removed from addresses. @default the origin of the page */
  readonly origin?: string
  /** Parses HTML. @default the parser of the browser */
  readonly parse?: (html: string) => HtmlTree
}

// About the length of a book. If escaping makes the Markdown longer, the plain text is pasted.
const MAX_MARKDOWN = 500_000

const ADDRESS = /^(?:https?:\/\/[^\s/?#]|mailto:\S|tel:\S)\S{0,4000}$/i

/** Returns the edit that inserts the content of a clipboard, or null to insert its plain text. */
export function pasteEdit(clip: Clip, state: TextState, options: PasteOptions = {}): Edit | null {
  if (isLiteral(state)) return null
  const link = linkEdit(clip.text.trim(), state)
  if (link !== null) return link
  if (clip.html === '') return null
  const { origin = location.origin, parse = parseHtml } = options
  const html = cleanHtml(clip.html)
  if (html === null) return null
  const cell = isInCell(state)
  const labels = /^[ \t>]*\[[^\]\n\r\u2028\u2029]+\]:/m.test(state.text)
  const { markdown, inline, rich } = htmlToMarkdown(parse(html), { origin, labels, cell })
  if (!rich && clip.text !== '') return oneCell(clip, state)
  if (markdown === '' || markdown.length > MAX_MARKDOWN || (cell && !inline)) return null
  return inline ? placeInline(withSpaces(markdown, clip.text), state) : placeBlocks(markdown, state)
}

/** Returns the edit that links the selection to a pasted address, or null if none is possible. */
function linkEdit(url: string, state: TextState): Edit | null {
  const { text, selectionStart, selectionEnd } = state
  const selected = text.slice(selectionStart, selectionEnd)
  const label = selected.trim()
  if (
    !ADDRESS.test(url) ||
    label === '' ||
    label.includes('\n') ||
    ADDRESS.test(label) ||
    isInLabel(state)
  )
    return null
  // A link cannot contain a link.
  if (hasLink(label) && !/^!\[[^\]]*\]\([^)]*\)$/.test(label)) return null
  const start = selectionStart + selected.indexOf(label)
  const insert = `[${/^!\[/.test(label) ? label : escapeBrackets(label)}](${writeAddress(url)})`
  return replacing({ start, end: start + label.length }, insert)
}

function hasLink(label: string): boolean {
  const open = label.indexOf('](')
  return (open !== -1 && label.includes(')', open)) || /<(?:https?:|mailto:)/i.test(label)
}

/** Pastes the text of a single spreadsheet cell, without the line feed that is added to it. */
function oneCell({ html, text }: Clip, state: TextState): Edit | null {
  const content = text.replace(/\r?\n$/, '')
  if (content === text || content.includes('\n') || !/<table\b/i.test(html)) return null
  return placeInline(content, state)
}

/** Adds the spaces at the ends of a copied selection, which only the plain text contains. */
function withSpaces(markdown: string, text: string): string {
  const before = /^[ \t](?=\S)/.test(text) ? ' ' : ''
  return before + markdown + (/\S[ \t]$/.test(text) ? ' ' : '')
}

// The maximum length of the HTML without embedded images. Longer HTML is pasted as plain text.
const MAX_LENGTH = 1_000_000
const EMBEDDED = /data:[a-z]+\/[\w.+-]+;base64,[\w+/=%\s]+/gi

/** Parses HTML into a separate document, in which no script runs and nothing is loaded. */
function parseHtml(html: string): HtmlTree {
  return readTree(new DOMParser().parseFromString(trustHtml(renameParts(html)), 'text/html'))
}

/** Removes embedded images and Windows' header. Null if the HTML is too long or too deep. */
export function cleanHtml(html: string): string | null {
  const start = html.startsWith('Version:') ? html.slice(0, 1000).search(/<(?:!|html|body)/i) : 0
  const clean = html.slice(Math.max(0, start)).replace(EMBEDDED, 'data:,')
  return clean.length > MAX_LENGTH || isNestedTooDeep(clean) ? null : clean
}
