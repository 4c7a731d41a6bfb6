import { diff3MergeRegions } from 'node-diff3'
import { createElement } from '../dom/elements.ts'
import { loadStyles } from '../dom/load-styles.ts'
import { openDialog } from '../editor/dialog.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { lazyStrings } from '../i18n/en-lazy.ts'

/** A draft (`mine`), the current text (`theirs`), and the text on which both are based. */
interface MergeTexts {
  readonly base: string
  readonly mine: string
  readonly theirs: string
}

/** A merged text. Lines that both texts changed differently appear twice: mine, then theirs. */
interface Merged {
  readonly text: string
  readonly conflicts: number
}

// The maximum number of pairs of equal lines. Merging ten times as many pairs takes a minute.
const MAX_PAIRS = 300_000

/** Merges two texts with a common base, line by line. If that would be too slow, joins them. */
export function merge(texts: MergeTexts): Merged {
  const { base, mine, theirs } = texts
  if (mine === theirs || theirs === base) return { text: mine, conflicts: 0 }
  if (mine === base) return { text: theirs, conflicts: 0 }
  const [baseLines, mineLines, theirLines] = [base, mine, theirs].map(splitLines) as Lines
  const pairs = countPairs(baseLines, mineLines) + countPairs(baseLines, theirLines)
  if (pairs > MAX_PAIRS) return { text: joinSides(mine, theirs), conflicts: 1 }
  let text = ''
  let conflicts = 0
  for (const region of diff3MergeRegions(mineLines, baseLines, theirLines)) {
    if (region.stable) text += region.bufferContent.join('')
    else {
      const [own, other] = [region.aContent.join(''), region.bContent.join('')]
      if (own !== other) conflicts++
      text += own === other ? own : joinSides(own, other)
    }
  }
  return { text, conflicts }
}

type Lines = [base: string[], mine: string[], theirs: string[]]

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

/** Opens a dialog to edit and use the merged text. */
export async function openMergeDialog(
  context: EditorContext,
  texts: MergeTexts,
  use: (text: string) => void,
): Promise<void> {
  const { host } = context
  await Promise.all([loadStyles(host, 'dialogs'), loadStyles(host, 'drafts')])
  const strings = lazyStrings(context.strings)
  const { text, conflicts } = merge(texts)
  const result = createElement('textarea', { form: '', rows: '10', dir: 'auto' })
  result.value = text
  const message = conflicts === 0 ? strings.mergeFits : strings.mergeClashes(conflicts)
  const versions = createElement(
    'div',
    { class: 'md-editor-merge-versions' },
    createVersion(strings.mergeMine, texts.mine),
    createVersion(strings.mergeTheirs, texts.theirs),
  )
  const dialog = openDialog(context, {
    name: 'merge',
    title: strings.mergeTitle,
    content: [createElement('p', {}, message), labelled(strings.mergeResult, result), versions],
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
}

function createVersion(title: string, text: string): HTMLElement {
  const shown = createElement('textarea', { readonly: true, form: '', rows: '6', dir: 'auto' })
  shown.value = text
  return labelled(title, shown)
}

function labelled(title: string, field: HTMLElement): HTMLElement {
  return createElement('label', { class: 'md-editor-merge-label' }, title, field)
}
