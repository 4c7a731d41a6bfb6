import { type FrameAttributes, knownEmbedHosts, toEmbed } from '@quillgate/markdown/embeds'
import { escapeHtml } from '@quillgate/markdown/grammar'
import { insertBlock, selectIn } from './blocks.ts'
import { applyEdit, type Command, type Edit, editBetween, type TextState } from './edit.ts'
import { containerOf, headingMarkOf, listMarkOf } from './line-grammar.ts'
import { linkSpans } from './link-spans.ts'
import { inlineRange, type Range } from './selection.ts'

const LABEL = /^(?:\\.|[^\\[\]]|\[(?:\\.|[^\\[\]])*\])*$/s
const PLACEHOLDER_LABEL = 'text'
const PLACEHOLDER = { src: 'https://www.youtube.com/embed/VIDEO_ID', title: 'YouTube video' }
/** Matches a text that consists only of an address. */
export const URL_LIKE: RegExp = /^(?:https?:\/\/|mailto:)\S+$/i

/**
 * Turns the selection or the word at the caret into a link and selects its address. Inside a link,
 * selects the address of that link. If it is still the placeholder, turns the link back into text.
 */
export const link: Command = (state) => {
  const existing = linkAt(state)
  if (existing !== null) return existing
  const { text } = state
  const { start, end: last } = inlineRange(state)
  const label = firstParagraph(text.slice(start, last))
  const end = start + label.length
  if (URL_LIKE.test(label)) return linkEdit(start, end, PLACEHOLDER_LABEL, label, 'label')
  if (label === '') return linkEdit(start, end, PLACEHOLDER_LABEL, 'url', 'label')
  return linkEdit(start, end, escapeBrackets(label), 'url', 'url')
}

/**
 * Replaces the selected address of a YouTube, Vimeo or CodePen page with an `<iframe>`. For any
 * other selection, inserts an `<iframe>` with a placeholder address, which is selected.
 */
export const embed: Command = (state) => {
  const { start, end } = inlineRange(state)
  const selected = state.text.slice(start, end)
  const source = URL_LIKE.test(selected) ? toEmbed(selected, { embeds: knownEmbedHosts }) : null
  if (source === null)
    return selectIn(insertBlock(state, [writeFrame(PLACEHOLDER)]), PLACEHOLDER.src)
  const insert = writeFrame(source)
  const caret = start + insert.length
  return { start, end, insert, selectionStart: caret, selectionEnd: caret }
}

function writeFrame({ src = '', title }: FrameAttributes): string {
  return `<iframe src="${escapeHtml(src)}" title="${title}" width="100%" height="400" allowfullscreen></iframe>`
}

function linkEdit(
  start: number,
  end: number,
  label: string,
  url: string,
  selected: 'label' | 'url',
): Edit {
  const from = selected === 'label' ? start + 1 : start + label.length + 3
  const length = selected === 'label' ? label.length : url.length
  return {
    start,
    end,
    insert: `[${label}](${url})`,
    selectionStart: from,
    selectionEnd: from + length,
  }
}

function linkAt(state: TextState): Edit | null {
  const area = paragraphRange(state)
  const around = state.text.slice(area.start, area.end)
  for (const { start, end, label, address } of linkSpans(around)) {
    if (state.selectionStart < area.start + start || state.selectionEnd > area.start + end) continue
    const url = around.slice(address.start, address.end)
    if (url === 'url' || url === '')
      return unlink(state, area.start + start, area.start + end, label)
    const from = area.start + address.start
    return {
      start: from,
      end: from,
      insert: '',
      selectionStart: from,
      selectionEnd: from + url.length,
    }
  }
  return null
}

function unlink(state: TextState, start: number, end: number, label: string): Edit | null {
  const { selectionStart, selectionEnd } = state
  const ours =
    label === PLACEHOLDER_LABEL &&
    selectionStart === start + 1 &&
    selectionEnd === start + 1 + label.length
  const insert = ours ? '' : unescapeBrackets(label)
  const edit = { start, end, insert, selectionStart: start, selectionEnd: start + insert.length }
  return editBetween(state, applyEdit(state, edit))
}

/**
 * Escapes a text so that it can be the label of a link. An unbalanced bracket would end the label
 * too early, and a backslash at the end would escape the closing bracket.
 */
export function escapeBrackets(text: string): string {
  if (LABEL.test(text)) return text
  return text.replace(/\\.|[[\]\\]/gs, (found) => (found.length === 2 ? found : `\\${found}`))
}

/** Undoes {@link escapeBrackets}. */
export function unescapeBrackets(label: string): string {
  const text = label.replace(/\\([[\]]|\\$)/g, '$1')
  return escapeBrackets(text) === label ? text : label
}

/**
 * Writes an address as the destination of a link, so that Markdown reads exactly this address.
 * Encodes white space, backslashes, unbalanced parentheses and entities.
 */
export function writeAddress(address: string): string {
  const written = keepEntities(address.replace(/[\s<>\\|]/g, encodeURIComponent))
  return isBalanced(written)
    ? written
    : written.replace(/[()]/g, (bracket) => (bracket === '(' ? '%28' : '%29'))
}

/** Escapes character references such as `&copy;`, so that they are shown literally. */
export function keepEntities(text: string): string {
  return text.replace(/&(?=#?\w{1,32};)/g, '&amp;')
}

// Returns whether the parentheses are balanced, with at most 20 levels, because parsers limit the
// nesting.
function isBalanced(address: string): boolean {
  let depth = 0
  for (const character of address) {
    if (character === '(' && ++depth > 20) return false
    if (character === ')' && --depth < 0) return false
  }
  return depth === 0
}

/**
 * Returns the start of a text up to the next paragraph, list item or heading, because a link cannot
 * continue there.
 */
export function firstParagraph(text: string): string {
  const lines = text.split('\n')
  const next = lines.findIndex((line, index) => {
    const content = line.slice(containerOf(line).length)
    const begins = content === '' || listMarkOf(content) !== '' || headingMarkOf(content) !== ''
    return begins && index > 0
  })
  return next === -1 ? text : lines.slice(0, next).join('\n')
}

/** Returns the range of the text around the selection, from one empty line to the next. */
export function paragraphRange({ text, selectionStart, selectionEnd }: TextState): Range {
  const next = text.indexOf('\n\n', selectionEnd)
  return {
    start: Math.max(0, text.lastIndexOf('\n\n', selectionStart)),
    end: next === -1 ? text.length : next,
  }
}
