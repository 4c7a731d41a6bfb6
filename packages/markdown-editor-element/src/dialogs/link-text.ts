import { selectIn } from '../commands/blocks.ts'
import { type Edit, replacing, type TextState } from '../commands/edit.ts'
import type { Range } from '../commands/line-grammar.ts'
import { linkAround, paragraphRange } from '../commands/link-spans.ts'
import {
  escapeBrackets,
  firstParagraph,
  keepEntities,
  URL_LIKE,
  unescapeBrackets,
  writeAddress,
} from '../commands/links.ts'
import { inlineRange } from '../commands/selection.ts'

/** The values of a link: the label as Markdown, the address and the title without escapes. */
export interface LinkValues {
  readonly label: string
  readonly address: string
  readonly title: string
}

/** The range of a text that is a link or becomes a link. */
export interface LinkTarget extends Range, LinkValues {
  /** True if the text already contains the link, so that it can be removed. */
  readonly exists: boolean
}

const AUTOLINK = /<((?:https?:\/\/|mailto:)[^\s<>]+|[^\s<>@:/]+@[^\s<>@/]+)>/gi
const BARE = /https?:\/\/[^\s<>()[\]"'`]*[^\s<>()[\]"'`.,;:!?*_~]/gi
const ESCAPED_PUNCTUATION = /\\([!-/:-@[-`{-~])/g

/** Returns the link at the selection, or else the address, text or word to make a link of. */
export function linkTarget(state: TextState): LinkTarget {
  return findLink(state) ?? findAddress(state, AUTOLINK, true) ?? plainTarget(state)
}

/** Writes a link in Markdown. If the label is empty, uses the address as the label. */
export function linkMarkdown({ label, address, title }: LinkValues): string {
  const plain = title === '' && (label === '' || label === address)
  if (plain && /^https?:\/\/[^\s<>]+$/i.test(address)) return `<${address}>`
  if (plain && /^mailto:[^\s<>?@]+@[^\s<>?]+$/i.test(address))
    return `<${address.slice('mailto:'.length)}>`
  const quoted = title === '' ? '' : ` "${keepEntities(title.replace(/["\\]/g, '\\$&'))}"`
  return `[${writeLabel({ label, address })}](${writeAddress(address)}${quoted})`
}

function writeLabel({ label, address }: Omit<LinkValues, 'title'>): string {
  return escapeBrackets(label === '' ? address : label)
}

/** Writes a link. If `keepSelected` is true and the link has a label, selects the label. */
export function linkEdit(range: Range, values: LinkValues, keepSelected: boolean): Edit {
  const edit = replacing(range, linkMarkdown(values))
  const isLabelled = keepSelected && edit.insert.startsWith('[')
  return isLabelled ? selectIn(edit, writeLabel(values)) : edit
}

/** Returns the edit that replaces a link with its text. */
export function unlinkEdit(range: Range, { label, address }: LinkValues): Edit {
  const text = label === '' ? address : unescapeBrackets(label)
  return selectIn(replacing(range, text), text)
}

function findLink(state: TextState): LinkTarget | null {
  const link = linkAround(state)
  if (link === null) return null
  const address = unescapeMarkdown(state.text.slice(link.address.start, link.address.end))
  return { ...link, address, title: unescapeMarkdown(link.title), exists: true }
}

function findAddress(state: TextState, pattern: RegExp, exists: boolean): LinkTarget | null {
  const area = paragraphRange(state)
  for (const match of state.text.slice(area.start, area.end).matchAll(pattern)) {
    const start = area.start + match.index
    const end = start + match[0].length
    if (state.selectionStart < start || state.selectionEnd > end) continue
    return { start, end, label: '', address: match[1] ?? match[0], title: '', exists }
  }
  return null
}

function plainTarget(state: TextState): LinkTarget {
  if (state.selectionStart === state.selectionEnd) {
    const address = findAddress(state, BARE, false)
    if (address !== null) return address
  }
  const { start, end: last } = inlineRange(state)
  const label = firstParagraph(state.text.slice(start, last))
  const isAddress = URL_LIKE.test(label)
  const values = { label: isAddress ? '' : label, address: isAddress ? label : '', title: '' }
  return { start, end: start + label.length, ...values, exists: false }
}

/** Removes the backslashes before punctuation, and decodes `&amp;`. */
export function unescapeMarkdown(source: string): string {
  return source.replace(ESCAPED_PUNCTUATION, '$1').replace(/&amp;/g, '&')
}

/** Converts line feeds to spaces, and removes the markers of quotes (`>`) after line feeds. */
export function oneLine(text: string): string {
  const withoutBlanks = text.replace(/\s+/g, (run) => (run.includes('\n') ? '\n' : run))
  return withoutBlanks.replace(/\n[ \t>]*/g, ' ')
}
