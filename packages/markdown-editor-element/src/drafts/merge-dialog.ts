import { createButton, createElement } from '../dom/elements.ts'
import { loadStyles } from '../dom/load-styles.ts'
import { openDialog } from '../editor/dialog.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { laterStrings } from '../i18n/later.ts'
import { type Choice, type Conflict, merge, writeMerge } from './merge.ts'

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

/** A place that both changed, and what can be taken of it. */
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
