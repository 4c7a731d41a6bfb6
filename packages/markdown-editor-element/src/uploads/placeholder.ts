import { blockAt, insertBlock, isBlankLine } from '../commands/blocks.ts'
import { applyEdit, type Edit, editBetween, spliced, type TextState } from '../commands/edit.ts'
import { readLine } from '../commands/line-grammar.ts'
import { lineEnd, lineStart } from '../commands/selection.ts'
import { escapeLabel } from '../contract/media-markdown.ts'
import type { AllStrings } from '../i18n/strings.ts'

type Words = Pick<AllStrings, 'placeholder'>

/** Creates placeholders. They differ from each other and do not occur in the `taken` texts. */
export function createPlaceholders(
  files: readonly { readonly name: string; readonly type: string }[],
  taken: readonly string[],
  strings: Words,
): string[] {
  // Uses a set, because searching the text for each of many equal names is slow. Removes the `!`,
  // because an image's placeholder contains a link's placeholder.
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

interface FoundPlaceholder {
  readonly text: string
  readonly name: string
}

// A private-use character, which occurs in no translation and is not escaped.
const NAME = '\ue000'

/** Finds the distinct placeholders of a text, with the names of their files. */
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

/** Inserts paragraphs after the block at the caret, or before it if the caret is at its start. */
export function insertApart(state: TextState, texts: readonly string[]): Edit {
  const { text, selectionEnd: caret } = state
  const block = texts.flatMap((each, index) => (index === 0 ? each : ['', each]))
  const { start, end } = blockAt(text, lineStart(text, caret))
  const isBefore = caret === start && start < end && readLine(text, start).content === start
  if (!isBefore) return insertBlock(state, block)
  const opened = `${text.slice(0, caret)}\n${text.slice(caret)}`
  const edit = insertBlock({ text: opened, selectionStart: caret, selectionEnd: caret }, block)
  return { ...edit, insert: `${edit.insert}\n` }
}

/** An insertion of placeholders. Can restore the text from before, with its blank lines. */
export class Insertion {
  readonly #before: TextState
  /** The text with the remaining placeholders, if nothing else has changed. */
  #expected: string
  #remaining: number

  constructor(before: TextState, text: string, count: number) {
    this.#before = before
    this.#expected = text
    this.#remaining = count
  }

  /** Removes a placeholder. For the last one, restores the text from before the insertion. */
  remove(state: TextState, removal: Edit): Edit | null {
    if (state.text !== this.#expected) return removal
    this.#expected = applyEdit(state, removal).text
    this.#remaining--
    const restoring = this.#remaining > 0 ? null : editBetween(state, this.#before)
    if (restoring === null) return removal
    const { start, end, insert } = restoring
    // A caret that the user has moved out of the restored range stays in its place.
    const isOutside = state.selectionEnd < start || state.selectionStart > end
    return isOutside ? replaceRange(state, start, end, insert) : restoring
  }
}

/** Replaces a placeholder, or removes it for `''`. Returns null if the text lacks it. */
export function fillPlaceholder(
  state: TextState,
  placeholder: string,
  insert: string,
): Edit | null {
  if (insert === '') return removePlaceholder(state, placeholder)
  const start = state.text.indexOf(placeholder)
  return start === -1 ? null : replaceRange(state, start, start + placeholder.length, insert)
}

/** Removes a placeholder and the white space that separates it from the text. */
function removePlaceholder(state: TextState, placeholder: string): Edit | null {
  const { text } = state
  const start = text.indexOf(placeholder)
  if (start === -1) return null
  const end = start + placeholder.length
  const from = lineStart(text, start)
  const to = lineEnd(text, end)
  const before = text.slice(from, start)
  if (!isBlankLine(text.slice(end, to), 0)) return removeFromLine(state, start, end)
  const isLast = to === text.length
  const blank = /^(?:\n[ \t>]*(?=\n|$))*/.exec(text.slice(to))?.[0] ?? ''
  const belowEnd = to + blank.length
  const isOpenBelow = isLast || blank !== ''
  const isAlone = isBlankLine(before, 0)
  if (isAlone && from > 0 && isOpenBelow && isBlankLine(text, from - 1)) {
    const above = lineStart(text, from - 1)
    if (belowEnd < text.length) return replaceRange(state, above, lineStart(text, belowEnd))
    return replaceRange(state, Math.max(0, above - 1), belowEnd)
  }
  if (isOpenBelow && !isLast && (isEmptyItem(before) || (isAlone && from === 0))) {
    const next = Math.min(belowEnd + 1, text.length)
    const indent = /^[ \t>]*/.exec(text.slice(next, lineEnd(text, next)))?.[0] ?? ''
    return replaceRange(state, start, next + indent.length)
  }
  if (isAlone && !isLast) return replaceRange(state, from, to + 1)
  return removeFromLine(state, start, end)
}

function isEmptyItem(line: string): boolean {
  const { bullet, content } = readLine(line, 0)
  return bullet !== '' && content === line.length
}

/** Removes a placeholder within a line, together with the extra space next to it. */
function removeFromLine(state: TextState, start: number, end: number): Edit | null {
  const { text } = state
  const [before = '\n', after = '\n'] = [text[start - 1], text[end]]
  if (before === ' ' && /\S/.test(text[start - 2] ?? ' ') && /\s/.test(after))
    return replaceRange(state, start - 1, end)
  return replaceRange(state, start, before === '\n' && after === ' ' ? end + 1 : end)
}

/** Replaces a range. A caret outside of the range stays in its place. */
export function replaceRange(
  state: TextState,
  start: number,
  end: number,
  added = '',
): Edit | null {
  return spliced(state, [{ at: start, removed: end - start, added, keepsCaret: true }])
}
