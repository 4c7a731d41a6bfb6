import type { Edit, TextState } from '../commands/edit.ts'
import { lineStart } from '../commands/selection.ts'
import type { AllStrings } from '../i18n/strings.ts'
import { escapeLabel } from './media-markdown.ts'

/** What stands in a text for a file: while it is on its way, and when it did not get there. */
export interface PlaceholderForms {
  readonly running: string
  readonly failed: string
}

type Words = Pick<AllStrings, 'placeholder' | 'failedPlaceholder'>

/**
 * Placeholders for files: unlike each other and anything in the text, so that they are found again wherever they get.
 *
 * @param taken texts in which they must not occur
 */
export function createPlaceholders(
  files: readonly { readonly name: string; readonly type: string }[],
  taken: readonly string[],
  strings: Words,
): PlaceholderForms[] {
  const all = taken.join('\n')
  // Many files may have one name: what is known to be taken is not looked for in the text again.
  const names = new Set(findPlaceholders(all, strings).map(({ name }) => name))
  const counts = new Map<string, number>()
  let made = ''
  return files.map((file) => {
    for (let count = counts.get(file.name) ?? 1; ; count++) {
      const name = count === 1 ? file.name : `${file.name} (${count})`
      if (names.has(name)) continue
      const { running, failed } = formsFor(name, strings)
      // Without the mark of an image: one is not to be found in another.
      if ([running, failed].some((form) => all.includes(form) || made.includes(form))) continue
      counts.set(file.name, count + 1)
      made += `${running}\n${failed}\n`
      const image = file.type.startsWith('image/') ? '!' : ''
      return { running: image + running, failed: image + failed }
    }
  })
}

function formsFor(name: string, strings: Words): PlaceholderForms {
  const form = (words: string): string => `[${escapeLabel(words)}]()`
  return { running: form(strings.placeholder(name)), failed: form(strings.failedPlaceholder(name)) }
}

/** A placeholder that stands in a text. */
export interface FoundPlaceholder extends PlaceholderForms {
  /** As it stands there. */
  readonly text: string
  /** Of the file. */
  readonly name: string
}

// Of the private use area, so that it is in no words and is not escaped.
const NAME = '\ue000'

/** All placeholders in a text, each once. */
export function findPlaceholders(text: string, strings: Words): FoundPlaceholder[] {
  const { running, failed } = formsFor(NAME, strings)
  const found = new Map<string, FoundPlaceholder>()
  for (const form of [running, failed]) {
    const [before = '', after = ''] = form
      .split(NAME)
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    for (const [whole, image = '', label = ''] of text.matchAll(
      new RegExp(`(!?)${before}((?:\\\\.|[^\\\\\\[\\]\n]){0,300}?)${after}`, 'g'),
    )) {
      const name = label.replace(/\\(.)/g, '$1')
      const forms = formsFor(name, strings)
      found.set(whole, {
        running: image + forms.running,
        failed: image + forms.failed,
        text: whole,
        name,
      })
    }
  }
  return [...found.values()]
}

/** A text and the white space that keeps it apart from what stands around it. */
export interface Spaced {
  before: string
  text: string
  after: string
}

/**
 * Texts with the white space that they need behind the selection. Several are paragraphs, so that they are shown one below
 * the other; in the list item or quote in which they are inserted.
 */
export function spaceApart(
  { text, selectionEnd }: TextState,
  texts: readonly string[],
  several: boolean = texts.length > 1,
): Spaced[] {
  const from = lineStart(text, selectionEnd)
  const line = text.slice(from, selectionEnd)
  const marks = /^(?:[ \t]|>|(?:[*+-]|\d{1,9}[.)])[ \t])*/.exec(line)?.[0] ?? ''
  const indent = marks.replace(/[^>\s]/g, ' ')
  const gap = `\n${indent.trimEnd()}\n${indent}`
  let before = /\S/.test(text[selectionEnd - 1] ?? '') ? ' ' : ''
  let after = /\S/.test(text[selectionEnd] ?? '') ? ' ' : ''
  if (several) {
    if (marks !== line) before = gap
    else if (line.trim() === '')
      before = /\S[^\S\n]*\n$/.test(text.slice(0, from)) ? `\n${indent}` : ''
    if (/^[^\S\n]*\S/.test(text.slice(selectionEnd))) after = gap
  }
  return texts.map((each, index) => ({
    before: index === 0 ? before : gap,
    text: each,
    after: index === texts.length - 1 ? after : '',
  }))
}

/**
 * Takes one out of the texts that were inserted together, before it is removed: it takes the line break beside it along,
 * and its neighbour gets the white space that keeps them all apart.
 */
export function separate(group: Spaced[], spaced: Spaced): void {
  const index = group.indexOf(spaced)
  const [previous, next] = [group[index - 1], group[index + 1]]
  if (index !== -1) group.splice(index, 1)
  if (previous === undefined && next !== undefined) {
    const { before } = spaced
    spaced.before = ''
    spaced.after = next.before
    next.before = before
  } else if (previous !== undefined && next === undefined) {
    previous.after = spaced.after
    spaced.after = ''
  }
}

/** Puts texts behind the selection. */
export function insertSpaced({ selectionEnd }: TextState, texts: readonly Spaced[]): Edit {
  const insert = texts.map(({ before, text, after }) => before + text + after).join('')
  const caret = selectionEnd + insert.length
  return {
    start: selectionEnd,
    end: selectionEnd,
    insert,
    selectionStart: caret,
    selectionEnd: caret,
  }
}

/** Puts a text in a placeholder's place; the selection stays where it is. Null when the placeholder is gone. */
export function replacePlaceholder(
  state: TextState,
  placeholder: string,
  insert: string,
): Edit | null {
  const start = state.text.indexOf(placeholder)
  if (start === -1) return null
  const end = start + placeholder.length
  return { start, end, insert, ...shiftSelection(state, start, end, insert.length) }
}

/** Takes a placeholder away, with the white space that came with it if it is still there. Null when it is gone. */
export function removePlaceholder(state: TextState, { before, text, after }: Spaced): Edit | null {
  for (const whole of [before + text + after, before + text, text]) {
    const edit = replacePlaceholder(state, whole, '')
    if (edit !== null) return edit
  }
  return null
}

function shiftSelection(
  { selectionStart, selectionEnd }: TextState,
  start: number,
  end: number,
  length: number,
): Pick<Edit, 'selectionStart' | 'selectionEnd'> {
  const moved = (offset: number): number => {
    if (offset <= start) return offset
    return offset >= end ? offset - (end - start) + length : start + length
  }
  return { selectionStart: moved(selectionStart), selectionEnd: moved(selectionEnd) }
}
