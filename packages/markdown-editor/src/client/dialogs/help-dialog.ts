import type { ToolbarButton } from '../../contract/toolbar.ts'
import { createElement } from '../dom/elements.ts'
import type { EditorContext } from '../editor-context.ts'
import { laterStrings } from '../strings/later.ts'
import type { AllStrings } from '../strings/strings.ts'
import { keysOf } from '../toolbar/shortcuts.ts'
import { toolbarItems } from '../toolbar/toolbar-items.ts'
import { openDialog } from './dialog.ts'
import { syntaxRows } from './syntax.ts'

/** Shows all keys, and what markdown the renderer understands. */
export function openHelp(context: EditorContext): void {
  const words = laterStrings(context.strings)
  const keys = keyRows(context, words).map(([name, written]) => row(name, createElement('kbd', {}, written)))
  const syntax = syntaxRows(words).map(([name, source]) => row(name, createElement('code', { dir: 'ltr' }, source)))
  openDialog(context, {
    name: 'help',
    title: words.helpTitle,
    content: [section(words.helpKeys, keys), section(words.helpMarkdown, syntax)],
  })
}

function keyRows({ host }: EditorContext, words: AllStrings): (readonly [name: string, keys: string])[] {
  const buttons = toolbarItems(host).filter((item): item is ToolbarButton => item !== 'separator')
  const own = buttons.flatMap((name): (readonly [string, string])[] => {
    const keys = keysOf(name)
    return keys === null ? [] : [[words.buttons[name], keys]]
  })
  return [
    ...own,
    [words.keyEnter, 'Enter'],
    [words.keyTab, 'Tab, Shift+Tab'],
    [words.keyLeave, words.keyThen('Esc', 'Tab')],
    [words.keyToolbar, words.keyArrows],
    [words.keyHelp, 'F1'],
  ]
}

function section(title: string, rows: readonly HTMLElement[]): HTMLElement {
  return createElement(
    'section',
    {},
    createElement('h3', {}, title),
    createElement('dl', { class: 'md-editor-list' }, ...rows),
  )
}

function row(name: string, value: HTMLElement): HTMLElement {
  return createElement('div', { class: 'md-editor-row' }, createElement('dt', {}, name), createElement('dd', {}, value))
}
