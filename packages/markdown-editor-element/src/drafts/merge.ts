import { diff3MergeRegions, diffComm, type ICommResult } from 'node-diff3'
import { createElement } from '../dom/elements.ts'
import { loadStyles } from '../dom/load-styles.ts'
import { revealCaret } from '../dom/textarea-geometry.ts'
import { openDialog } from '../editor/dialog.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { lazyStrings } from '../i18n/en-lazy.ts'
import type { AllStrings } from '../i18n/strings.ts'

/** A draft (`mine`), the current text (`theirs`), and the text on which both are based. */
interface MergeTexts {
  readonly base: string
  readonly mine: string
  readonly theirs: string
}

// The maximum number of pairs of equal lines. Comparing ten times as many pairs takes a minute.
const MAX_PAIRS = 300_000

// The number of unchanged lines that are shown before and after a change.
const AROUND = 2

/**
 * Merges two texts with a common base, line by line. Every second part of the result is a place
 * with both versions, mine first. If merging would be too slow, the whole text is such a place.
 */
export function merge({ base, mine, theirs }: MergeTexts): string[] {
  if (mine === theirs || theirs === base) return [mine]
  if (mine === base) return [theirs]
  const baseLines = splitLines(withEnd(base))
  const mineLines = splitLines(withEnd(mine))
  const theirLines = splitLines(withEnd(theirs))
  const pairs = countPairs(baseLines, mineLines) + countPairs(baseLines, theirLines)
  if (pairs > MAX_PAIRS) return ['', joinSides(mine, theirs), '']
  const parts: string[] = []
  let text = ''
  for (const region of diff3MergeRegions(mineLines, baseLines, theirLines)) {
    const own = (region.stable ? region.bufferContent : region.aContent).join('')
    const other = region.stable ? own : region.bContent.join('')
    if (own === other) text += own
    else {
      parts.push(text, joinSides(own, other))
      text = ''
    }
  }
  parts.push(text)
  const last = parts.findLastIndex((part) => part !== '')
  const end = mine.slice(mine.trimEnd().length)
  return parts.map((part, index) => (index === last ? part.trimEnd() + end : part))
}

/** Ends a text with a blank line, so that a paragraph added below does not change its last line. */
function withEnd(text: string): string {
  const end = text.trimEnd()
  return end === '' ? '' : `${end}\n\n`
}

/** Splits a text into lines. Joins blank lines to the previous line, so few lines are equal. */
function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n(?:[ \t]*\n)*|[^\n]+$/g) ?? []
}

function joinSides(mine: string, theirs: string): string {
  return mine + (mine === '' || theirs === '' || mine.endsWith('\n') ? '' : '\n') + theirs
}

function countPairs(one: readonly string[], other: readonly string[]): number {
  const counts = new Map<string, number>()
  for (const line of one) counts.set(line, (counts.get(line) ?? 0) + 1)
  return other.reduce((sum, line) => sum + (counts.get(line) ?? 0), 0)
}

/** Compares two texts, line by line. In places where that would be too slow, no line is equal. */
export function compare(before: string, after: string): ICommResult<string>[] {
  let pairsLeft = MAX_PAIRS
  const compareLines = (one: string[], other: string[]): ICommResult<string>[] => {
    const pairs = countPairs(one, other)
    if (pairs > pairsLeft) return [{ buffer1: one, buffer2: other }]
    pairsLeft -= pairs
    return diffComm(one, other)
  }
  return compareLines(splitLines(before), splitLines(after)).flatMap((place) => {
    if (place.common) return { common: splitBlankLines(place.common) }
    // Compares again, because only the blank lines below a line may differ.
    return compareLines(splitBlankLines(place.buffer1), splitBlankLines(place.buffer2))
  })
}

function splitBlankLines(lines: readonly string[]): string[] {
  return lines.flatMap((line) => line.replace(/\n$/, '').split('\n'))
}

/** Opens a dialog that shows the differences, to edit and use the merged text. */
export async function openMergeDialog(
  context: EditorContext,
  texts: MergeTexts,
  use: (text: string) => void,
): Promise<void> {
  await loadStyles(context.host, 'dialogs')
  const strings = lazyStrings(context.strings)
  const parts = merge(texts)
  const result = createText(strings.mergeResult, parts.join(''))
  const isClash = parts.length > 1
  const [message, name, after] = isClash
    ? [strings.mergeClashes((parts.length - 1) / 2), strings.mergeMine, texts.mine]
    : [strings.mergeFits, strings.mergeResult, result.value]
  const legend = `− ${strings.mergeTheirs}, + ${name}`
  const dialog = openDialog(context, {
    name: 'merge',
    title: strings.mergeTitle,
    content: [
      createElement('p', {}, message),
      createElement('h3', {}, legend),
      createLines(legend, texts.theirs, after, strings),
      createElement('label', {}, strings.mergeResult, result),
      createVersion(strings.mergeMine, texts.mine),
      createVersion(strings.mergeTheirs, texts.theirs),
    ],
    confirm: {
      label: strings.mergeUse,
      run() {
        dialog.close()
        use(result.value)
      },
    },
  })
  // Focuses the heading instead of "Close", so that screen readers read the dialog from its start.
  const heading = dialog.querySelector('h2')
  heading?.setAttribute('tabindex', '-1')
  heading?.focus()
  if (isClash) selectConflict(result, parts)
}

/** Selects the first conflict and scrolls its start to the top. Does not move the focus. */
function selectConflict(field: HTMLTextAreaElement, [before = '', both = '']: string[]): void {
  field.setSelectionRange(before.length, before.length + both.length)
  field.scrollTop = field.scrollHeight
  revealCaret(field, before.length)
}

/** Shows the lines that differ and the lines around them. Folds other lines. */
function createLines(legend: string, before: string, after: string, strings: AllStrings): Element {
  const attributes = { role: 'group', 'aria-label': legend, tabindex: '0' }
  const list = createElement('div', { class: 'md-editor-merge-lines', ...attributes })
  const add = (type: 'del' | 'ins' | 'div', sign: string, lines: readonly string[] = []): void => {
    for (const line of lines) list.append(createElement(type, { dir: 'auto' }, `${sign} ${line}`))
  }
  const places = compare(before, after)
  for (const [index, { common = [], buffer1, buffer2 }] of places.entries()) {
    const start = index === 0 ? 0 : AROUND
    const end = index === places.length - 1 ? common.length : common.length - AROUND
    add('div', ' ', common.slice(0, start))
    if (end > start) add('div', '…', [strings.mergeUnchanged(end - start)])
    add('div', ' ', common.slice(Math.max(start, end)))
    add('del', '−', buffer1)
    add('ins', '+', buffer2)
  }
  return list
}

/** Creates a whole version, which the user can open and copy. */
function createVersion(title: string, text: string): HTMLElement {
  const field = createText(title, text)
  field.readOnly = true
  return createElement('details', {}, createElement('summary', {}, title), field)
}

function createText(title: string, text: string): HTMLTextAreaElement {
  const field = createElement('textarea', { 'aria-label': title, form: '', rows: '10' })
  field.value = text
  // Set after the value. Otherwise, Chromium needs 30 seconds for a text of 100,000 lines.
  field.dir = 'auto'
  return field
}
