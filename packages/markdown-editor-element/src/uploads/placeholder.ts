import { blockAt } from '../commands/blocks.ts'
import type { Edit, TextState } from '../commands/edit.ts'
import { isBlank, readLine } from '../commands/line-grammar.ts'
import { lineEnd, lineStart } from '../commands/selection.ts'
import { escapeLabel } from '../contract/media-markdown.ts'
import type { AllStrings } from '../i18n/strings.ts'

type Words = Pick<AllStrings, 'placeholder'>

/**
 * Creates placeholders that differ from each other and from everything in the text, so that they
 * can be found later.
 *
 * @param taken texts that must not contain the new placeholders
 */
export function createPlaceholders(
  files: readonly { readonly name: string; readonly type: string }[],
  taken: readonly string[],
  strings: Words,
): string[] {
  // Uses a set, because searching the text again for each of many equal names is slow. Removes the
  // `!`, because the placeholder of an image contains that of a link.
  const known = new Set(
    findPlaceholders(taken.join('\n'), strings).map(({ text }) => text.replace(/^!/, '')),
  )
  const counts = new Map<string, number>()
  return files.map((file) => {
    for (let count = counts.get(file.name) ?? 1; ; count++) {
      const link = linkFor(count === 1 ? file.name : `${file.name} (${count})`, strings)
      if (known.has(link)) continue
      counts.set(file.name, count + 1)
      known.add(link)
      return file.type.startsWith('image/') ? `!${link}` : link
    }
  })
}

function linkFor(name: string, strings: Words): string {
  return `[${escapeLabel(strings.placeholder(name))}]()`
}

/** A placeholder in a text. */
interface FoundPlaceholder {
  readonly text: string
  /** The name of the file. */
  readonly name: string
}

// A private use character: it occurs in no translation and is not escaped.
const NAME = '\ue000'

/** Finds the distinct placeholders of a text. */
export function findPlaceholders(text: string, strings: Words): FoundPlaceholder[] {
  const [before = '', after = ''] = linkFor(NAME, strings)
    .split(NAME)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const pattern = new RegExp(`!?${before}((?:\\\\.|[^\\\\\\[\\]\n]){0,300}?)${after}`, 'g')
  const found = new Map<string, FoundPlaceholder>()
  for (const [whole, label = ''] of text.matchAll(pattern))
    found.set(whole, { text: whole, name: label.replace(/\\(.)/g, '$1') })
  return [...found.values()]
}

/**
 * Returns the edit that inserts texts as paragraphs after the block at the caret, so that emphasis,
 * lists, quotes, tables and code stay whole. If the caret is at the start of a block, they are
 * inserted before it. The caret moves to the line below them.
 */
export function insertApart({ text, selectionEnd }: TextState, texts: readonly string[]): Edit {
  const block = blockAt(text, lineStart(text, selectionEnd))
  const { quote, indent, bullet, gap, content } = readLine(text, block.start)
  const prefix = quote + indent + ' '.repeat(bullet.length + gap.length)
  const line = `\n${prefix}`
  const paragraph = `\n${prefix.trimEnd()}${line}`
  const isEmpty = content >= block.end
  const isBefore = !isEmpty && selectionEnd === block.start && content === block.start
  const isBehindText = block.start > 0 && !isBlankLine(lineBefore(text, block.start))
  let before = isEmpty || isBefore ? '' : paragraph
  if (isBehindText && (isBefore || (isEmpty && bullet === ''))) before = line
  const insert = before + texts.join(paragraph) + (isBefore ? paragraph : line)
  const start = isBefore ? block.start : block.end
  const end = /\S/.test(text.slice(start)) ? start : text.length
  const caret = start + insert.length
  return { start, end, insert, selectionStart: caret, selectionEnd: caret }
}

/**
 * Returns the edit that replaces a placeholder, or removes it if `insert` is `''`. Returns null if
 * the text does not contain it.
 */
export function fillPlaceholder(
  state: TextState,
  placeholder: string,
  insert: string,
): Edit | null {
  if (insert === '') return removePlaceholder(state, placeholder)
  const start = state.text.indexOf(placeholder)
  return start === -1 ? null : replaceRange(state, start, start + placeholder.length, insert)
}

/**
 * Returns the edit that removes a placeholder and the white space that separates it from the text.
 * Returns null if the text does not contain it.
 */
function removePlaceholder(state: TextState, placeholder: string): Edit | null {
  const { text } = state
  const start = text.indexOf(placeholder)
  if (start === -1) return null
  const end = start + placeholder.length
  const from = lineStart(text, start)
  const to = lineEnd(text, end)
  const before = text.slice(from, start)
  if (!isBlankLine(text.slice(end, to))) return removeFromLine(state, start, end)
  const isLast = to === text.length
  const belowEnd = lineEnd(text, to + 1)
  const isOpenBelow = isLast || isBlankLine(text.slice(to + 1, belowEnd))
  const isAlone = isBlankLine(before)
  if (isAlone && from > 0 && isOpenBelow && isBlankLine(lineBefore(text, from))) {
    const gap = Math.max(0, lineStart(text, from - 1) - 1)
    return replaceRange(state, gap, belowEnd === text.length ? belowEnd : to)
  }
  if (isOpenBelow && !isLast && (isEmptyItem(before) || (isAlone && from === 0))) {
    const next = Math.min(belowEnd + 1, text.length)
    const indent = /^[ \t>]*/.exec(text.slice(next, lineEnd(text, next)))?.[0] ?? ''
    return replaceRange(state, start, next + indent.length)
  }
  if (isAlone && !isLast) return replaceRange(state, from, to + 1)
  return removeFromLine(state, start, end)
}

/** Returns the line above the one that starts at `start`. */
function lineBefore(text: string, start: number): string {
  return text.slice(lineStart(text, start - 1), start - 1)
}

/** True for a line that contains only quote marks and white space. */
function isBlankLine(line: string): boolean {
  return isBlank(readLine(line, 0))
}

/** True for a line that contains only the mark of a list item. */
function isEmptyItem(line: string): boolean {
  const { bullet, content } = readLine(line, 0)
  return bullet !== '' && content === line.length
}

/** Removes a placeholder within a line, together with the extra space next to it. */
function removeFromLine(state: TextState, start: number, end: number): Edit {
  const { text } = state
  const [before = '\n', after = '\n'] = [text[start - 1], text[end]]
  if (before === ' ' && /\S/.test(text[start - 2] ?? ' ') && /\s/.test(after))
    return replaceRange(state, start - 1, end)
  return replaceRange(state, start, before === '\n' && after === ' ' ? end + 1 : end)
}

function replaceRange(state: TextState, start: number, end: number, insert = ''): Edit {
  const moved = (offset: number): number => {
    if (offset <= start) return offset
    return offset >= end ? offset - (end - start) + insert.length : start + insert.length
  }
  return {
    start,
    end,
    insert,
    selectionStart: moved(state.selectionStart),
    selectionEnd: moved(state.selectionEnd),
  }
}
