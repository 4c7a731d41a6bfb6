import { blockAt, insertBlock, removeMedia } from '../commands/blocks.ts'
import {
  applyEdit,
  type Edit,
  editBetween,
  replaceRange,
  type TextState,
} from '../commands/edit.ts'
import { readLine } from '../commands/line-grammar.ts'
import { lineStart } from '../commands/selection.ts'
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
  const start = state.text.indexOf(placeholder)
  if (start === -1) return null
  const end = start + placeholder.length
  return insert === ''
    ? removeMedia(state, { start, end })
    : replaceRange(state, start, end, insert)
}
