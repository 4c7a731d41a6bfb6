import { createElement } from '../dom/elements.ts'
import type { EditorContext } from '../editor-context.ts'
import { laterStrings } from '../strings/later.ts'
import type { AllStrings } from '../strings/strings.ts'
import { keysOf, SHORTCUTS, type ShortcutName } from '../toolbar/shortcuts.ts'
import { openDialog } from './dialog.ts'
import { syntaxRows } from './syntax.ts'

/** Shows all keys, and what markdown the renderer understands. */
export function openHelp(context: EditorContext): void {
  const words = laterStrings(context.strings)
  const keys = keyRows(words).map(([name, written]) =>
    row(name, createElement('kbd', { dir: 'auto' }, written)),
  )
  const syntax = syntaxRows(words).map(([name, source]) =>
    row(name, createElement('code', { dir: 'ltr' }, source)),
  )
  openDialog(context, {
    name: 'help',
    title: words.helpTitle,
    content: [section(words.helpKeys, keys), section(words.helpMarkdown, syntax)],
  })
}

function keyRows(words: AllStrings): (readonly [name: string, keys: string])[] {
  const shortcuts = SHORTCUTS.map(([name]) => [wordFor(name, words), keysOf(name) ?? ''] as const)
  const named = (keys: string): string => keys.replace(/[A-Z][a-z]+/g, words.keyName)
  const rows = [...shortcuts, [words.keyEnter, 'Enter'], [words.keyTab, 'Tab, Shift+Tab']] as const
  return [
    ...rows.map(([name, keys]) => [name, named(keys)] as const),
    [words.keyLeave, words.keyThen(named('Esc'), named('Tab'))],
    [words.keyToolbar, words.keyArrows],
  ]
}

function wordFor(name: ShortcutName, words: AllStrings): string {
  const own: Readonly<Record<string, string>> = {
    ...words.buttons,
    'move-up': words.keyMoveUp,
    'move-down': words.keyMoveDown,
    modes: words.keyModes,
    help: words.keyHelp,
  }
  return own[name] ?? words.keyHeading(Number(name.slice('heading-'.length)))
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
  return createElement(
    'div',
    { class: 'md-editor-row' },
    createElement('dt', {}, name),
    createElement('dd', {}, value),
  )
}
