import { diff3MergeRegions } from 'node-diff3'
import { createButton, createElement } from '../dom/elements.ts'
import { loadStyles } from '../dom/load-styles.ts'
import { openDialog } from '../editor/dialog.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { laterStrings } from '../i18n/later.ts'

/** Lines that were changed in two ways. */
export interface Conflict {
  readonly base: string
  readonly mine: string
  readonly theirs: string
}

/** A piece of a merged text, or a conflict. */
export type MergePart = string | Conflict

/** The side of a conflict to keep. */
export type Choice = 'mine' | 'theirs' | 'both'

// Pairs of equal lines or words that a merge may compare. Ten times as many take a minute.
const MAX_PAIRS = 300_000

/** The number of pairs that may still be compared. Without it, the rest is a conflict. */
interface Budget {
  pairs: number
}

/** Merges two texts with a common base, by lines, then by words. The rest are conflicts. */
export function merge(base: string, mine: string, theirs: string): MergePart[] {
  if (mine === theirs || theirs === base) return join([mine])
  if (mine === base) return join([theirs])
  const budget = { pairs: MAX_PAIRS }
  return join(
    mergeBy(splitBlocks, { base, mine, theirs }, budget)
      .flatMap((part) => mergeLines(part, budget))
      .flatMap((part) => mergeWords(part, budget)),
  )
}

/** Writes the merged text. There is one choice per conflict in order; a missing one is `both`. */
export function writeMerge(parts: readonly MergePart[], choices: readonly Choice[] = []): string {
  let index = 0
  let text = ''
  for (const part of parts)
    text += typeof part === 'string' ? part : choose(part, choices[index++] ?? 'both')
  return text
}

function choose({ mine, theirs }: Conflict, choice: Choice): string {
  if (choice !== 'both') return choice === 'mine' ? mine : theirs
  const apart = mine === '' || theirs === '' || mine.endsWith('\n') ? '' : '\n'
  return mine + apart + theirs
}

/** Splits a conflict at empty lines that stayed the same. */
function mergeLines(part: MergePart, budget: Budget): MergePart[] {
  return typeof part === 'string' ? [part] : mergeBy(splitLines, part, budget)
}

/** Merges the words of a conflict. It stays a conflict when both changed the same words. */
function mergeWords(part: MergePart, budget: Budget): MergePart[] {
  if (typeof part === 'string') return [part]
  const { base, mine, theirs } = part
  if (base === '' || mine === '' || theirs === '') return [part]
  const parts = mergeBy(splitWords, part, budget)
  return parts.every((each) => typeof each === 'string') ? parts : [part]
}

function mergeBy(
  split: (text: string) => string[],
  { base, mine, theirs }: Conflict,
  budget: Budget,
): MergePart[] {
  return mergeLists(split(base), split(mine), split(theirs), budget)
}

function mergeLists(base: string[], mine: string[], theirs: string[], budget: Budget): MergePart[] {
  const all = [base, mine, theirs]
  const shortest = Math.min(...all.map((list) => list.length))
  let start = 0
  while (start < shortest && all.every((list) => list[start] === base[start])) start++
  let end = 0
  while (end < shortest - start && all.every((list) => list.at(-1 - end) === base.at(-1 - end)))
    end++
  const middle = (list: string[]): string[] => list.slice(start, list.length - end)
  return [
    base.slice(0, start).join(''),
    ...mergeMiddles(middle(base), middle(mine), middle(theirs), budget),
    base.slice(base.length - end).join(''),
  ]
}

function mergeMiddles(
  base: string[],
  mine: string[],
  theirs: string[],
  budget: Budget,
): MergePart[] {
  const pairs = countPairs(base, mine) + countPairs(base, theirs)
  if (pairs > budget.pairs)
    return [{ base: base.join(''), mine: mine.join(''), theirs: theirs.join('') }]
  budget.pairs -= pairs
  return diff3MergeRegions(mine, base, theirs).map((region) => {
    if (region.stable) return region.bufferContent.join('')
    const [a, o, b] = [region.aContent.join(''), region.oContent.join(''), region.bContent.join('')]
    return a === b ? a : { mine: a, base: o, theirs: b }
  })
}

/** How many pairs of equal elements two lists have. */
function countPairs(one: readonly string[], other: readonly string[]): number {
  const counts = new Map<string, number>()
  for (const element of one) counts.set(element, (counts.get(element) ?? 0) + 1)
  return other.reduce((sum, element) => sum + (counts.get(element) ?? 0), 0)
}

function join(parts: readonly MergePart[]): MergePart[] {
  const joined: MergePart[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (typeof part === 'string' && typeof last === 'string')
      joined[joined.length - 1] = last + part
    else if (part !== '') joined.push(part)
  }
  return joined
}

/** Splits into lines with the empty lines after them: long texts have thousands of those. */
const splitBlocks = (text: string): string[] => text.match(/[^\n]*\n(?:[ \t]*\n)*|[^\n]+$/g) ?? []

const splitLines = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

const splitWords = (text: string): string[] =>
  text.match(/\s|[\p{L}\p{M}\p{N}_]+|[^\s\p{L}\p{M}\p{N}_]/gu) ?? []

/** A draft, what is in the field or on the server in its place, and what both began from. */
interface MergeTexts {
  readonly base: string
  readonly mine: string
  readonly theirs: string
}

type Words = ReturnType<typeof laterStrings>

const CHOICES: readonly Choice[] = ['mine', 'theirs', 'both']

/** Shows a draft, the present text and both merged, with a choice for each conflict. */
export async function openMergeDialog(
  context: EditorContext,
  texts: MergeTexts,
  use: (text: string) => void,
): Promise<void> {
  const { host } = context
  await Promise.all([loadStyles(host, 'dialogs'), loadStyles(host, 'drafts')])
  const words = laterStrings(context.strings)
  const view = createMergeView(texts, words)
  const dialog = openDialog(context, {
    name: 'merge',
    title: words.mergeTitle,
    content: view.content,
    confirm: {
      label: words.mergeUse,
      run() {
        dialog.close()
        use(view.result.value)
      },
    },
  })
}

function createMergeView(
  { base, mine, theirs }: MergeTexts,
  words: Words,
): { content: readonly Node[]; result: HTMLTextAreaElement } {
  const parts = merge(base, mine, theirs)
  const conflicts = parts.filter((part) => typeof part !== 'string')
  const choices: Choice[] = conflicts.map(() => 'both')
  const result = createElement('textarea', { form: '', rows: '10', dir: 'auto' })
  result.value = writeMerge(parts)
  const places = createElement('div', { class: 'md-editor-merge-places' })
  const reset = createButton(words.mergeReset, 'md-editor-action', () => {
    setLocked(false)
    result.value = writeMerge(parts, choices)
  })
  // After the user has edited the merged text, the choices no longer change it.
  const setLocked = (locked: boolean): void => {
    for (const place of places.querySelectorAll('fieldset')) place.disabled = locked
    reset.hidden = !locked
  }
  reset.hidden = true
  result.addEventListener('input', () => setLocked(true))
  for (const [index, conflict] of conflicts.entries()) {
    const choose = (choice: Choice): void => {
      choices[index] = choice
      result.value = writeMerge(parts, choices)
    }
    places.append(createPlace(conflict, index + 1, choose, words))
  }
  const versions = createElement(
    'div',
    { class: 'md-editor-merge-versions' },
    createVersion(words.mergeMine, mine),
    createVersion(words.mergeTheirs, theirs),
  )
  const message = conflicts.length === 0 ? words.mergeFits : words.mergeClashes(conflicts.length)
  const label = createElement(
    'label',
    { class: 'md-editor-merge-label' },
    words.mergeResult,
    result,
  )
  const clashes = conflicts.length === 0 ? [] : [places]
  return { content: [createElement('p', {}, message), versions, ...clashes, label, reset], result }
}

function createVersion(title: string, text: string): HTMLElement {
  const shown = createElement('textarea', { readonly: true, form: '', rows: '6', dir: 'auto' })
  shown.value = text
  return createElement('label', { class: 'md-editor-merge-label' }, title, shown)
}

let count = 0

/** A conflict with its choices. */
function createPlace(
  conflict: Conflict,
  number: number,
  choose: (choice: Choice) => void,
  words: Words,
): HTMLFieldSetElement {
  const labels = { mine: words.mergeMine, theirs: words.mergeTheirs, both: words.mergeBoth }
  const name = `md-editor-merge-${++count}`
  const options = CHOICES.map((choice) => {
    const input = createElement('input', { type: 'radio', name, value: choice, form: '' })
    input.checked = choice === 'both'
    input.addEventListener('change', () => choose(choice))
    const label = createElement('label', {}, input, ` ${labels[choice]}`)
    if (choice === 'both') return createElement('div', {}, label)
    const text = conflict[choice].replace(/\n$/, '')
    return createElement(
      'div',
      {},
      label,
      createElement('pre', { dir: 'auto' }, text === '' ? words.mergeNothing : text),
    )
  })
  const legend = createElement('legend', {}, words.mergePlace(number))
  return createElement('fieldset', { class: 'md-editor-merge-place' }, legend, ...options)
}
