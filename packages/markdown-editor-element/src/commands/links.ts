import { knownEmbedHosts, toEmbed } from '@quillgate/markdown/embeds'
import { escapeHtml } from '@quillgate/markdown/grammar'
import { insertBlock, selectIn } from './blocks.ts'
import { type Command, type Edit, replacing, type TextState } from './edit.ts'
import { headingMarkOf, readLine } from './line-grammar.ts'
import { type LinkSpan, linkAround } from './link-spans.ts'
import { inlineRange } from './selection.ts'

const LABEL = /^(?:\\.|[^\\[\]]|\[(?:\\.|[^\\[\]])*\])*$/s
const PLACEHOLDER_LABEL = 'text'
const PLACEHOLDER = { src: 'https://www.youtube.com/embed/VIDEO_ID', title: 'YouTube video' }
const FRAME_SIZE = { width: '100%', height: '400' }
/** Matches a text that consists only of an address. */
export const URL_LIKE: RegExp = /^(?:https?:\/\/|mailto:)\S+$/i

/** Turns the selection or word into a link. In a link, selects its address or removes the link. */
export const link: Command = (state) => {
  const { text } = state
  const existing = linkAround(state)
  if (existing !== null) {
    const { start, end } = existing.address
    const isPlaceholder = ['url', ''].includes(text.slice(start, end))
    if (isPlaceholder) return unlink(state, existing)
    return { start, end: start, insert: '', selectionStart: start, selectionEnd: end }
  }
  const { start, end: last } = inlineRange(state)
  const selected = firstParagraph(text.slice(start, last))
  const isAddress = URL_LIKE.test(selected)
  const hasLabel = !isAddress && selected !== ''
  const label = hasLabel ? escapeBrackets(selected) : PLACEHOLDER_LABEL
  const url = isAddress ? selected : 'url'
  const from = hasLabel ? start + label.length + 3 : start + 1
  return {
    ...{ start, end: start + selected.length, insert: `[${label}](${url})` },
    ...{ selectionStart: from, selectionEnd: from + (hasLabel ? url : label).length },
  }
}

/** Embeds the selected address of a known site. Otherwise, inserts and selects a placeholder. */
export const embed: Command = (state) => {
  const { start, end } = inlineRange(state)
  const selected = state.text.slice(start, end)
  const source = URL_LIKE.test(selected) ? toEmbed(selected, { embeds: knownEmbedHosts }) : null
  if (source !== null) {
    const { src, title } = source
    return replacing({ start, end }, writeFrame({ src, title, ...FRAME_SIZE }))
  }
  const frame = writeFrame({ ...PLACEHOLDER, ...FRAME_SIZE })
  return selectIn(insertBlock(state, [frame]), PLACEHOLDER.src)
}

/** Writes an `<iframe>` that the renderer may show as a player. */
export function writeFrame(attributes: Readonly<Record<string, string | undefined>>): string {
  const written = Object.entries(attributes).map(
    ([name, value = '']) => `${name}="${escapeHtml(value)}"`,
  )
  return `<iframe ${written.join(' ')} allowfullscreen></iframe>`
}

function unlink(state: TextState, { start, end, label }: LinkSpan): Edit {
  const { selectionStart, selectionEnd } = state
  const isPlaceholder =
    label === PLACEHOLDER_LABEL &&
    selectionStart === start + 1 &&
    selectionEnd === start + 1 + label.length
  const insert = isPlaceholder ? '' : unescapeBrackets(label)
  return { start, end, insert, selectionStart: start, selectionEnd: start + insert.length }
}

/** Escapes brackets and a final backslash, if they could move the end of a label. */
export function escapeBrackets(text: string): string {
  if (LABEL.test(text)) return text
  return text.replace(/\\.|[[\]\\]/gs, (found) => (found.length === 2 ? found : `\\${found}`))
}

/** Undoes {@link escapeBrackets}. */
export function unescapeBrackets(label: string): string {
  const text = label.replace(/\\([[\]]|\\$)/g, '$1')
  return escapeBrackets(text) === label ? text : label
}

// Balanced, not nested parentheses. In any other address, all parentheses are encoded.
const BALANCED = /^[^()]*(?:\([^()]*\)[^()]*)*$/

/** Encodes the characters that Markdown would not read as part of an address. */
export function writeAddress(address: string): string {
  const written = keepEntities(address.replace(/[\s<>\\|]/g, encodeURIComponent))
  return BALANCED.test(written)
    ? written
    : written.replace(/[()]/g, (bracket) => (bracket === '(' ? '%28' : '%29'))
}

/** Escapes character references such as `&copy;`, so that they are shown literally. */
export function keepEntities(text: string): string {
  return text.replace(/&(?=#?\w{1,32};)/g, '&amp;')
}

/** Returns the lines before the next blank line, list item or heading, where a link must end. */
export function firstParagraph(text: string): string {
  const lines = text.split('\n')
  const next = lines.findIndex((line, index) => {
    const { bullet, mark, end } = readLine(line, 0)
    const begins = mark === end || bullet !== '' || headingMarkOf(line.slice(mark)) !== ''
    return begins && index > 0
  })
  return next === -1 ? text : lines.slice(0, next).join('\n')
}
