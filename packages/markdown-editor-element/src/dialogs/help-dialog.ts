import { createElement } from '../dom/elements.ts'
import { Field, openDialog } from '../editor/dialog.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { laterStrings } from '../i18n/later.ts'
import type { AllStrings } from '../i18n/strings.ts'
import { keysOf, SHORTCUTS, type ShortcutName } from '../toolbar/shortcuts.ts'

/** Shows all keys, and what markdown the renderer understands, with a search. */
export function openHelp(context: EditorContext): void {
  const words = laterStrings(context.strings)
  const keys = keyRows(words).map(([name, written]) =>
    row(name, createElement('kbd', { dir: 'auto' }, written)),
  )
  const syntax = syntaxRows(words).map(([name, source]) =>
    row(name, createElement('code', { dir: 'ltr' }, source)),
  )
  const search = new Field(`${context.textarea.id}-search`, words.helpSearch, '', () => {
    const wanted = search.value.trim().toLowerCase()
    for (const each of [...keys, ...syntax])
      each.hidden = !each.textContent?.toLowerCase().includes(wanted)
  })
  const sections = [section(words.helpKeys, keys), section(words.helpMarkdown, syntax)]
  const content = [search.element, createElement('div', { class: 'md-editor-help' }, ...sections)]
  openDialog(context, { name: 'help', title: words.helpTitle, content })
  if (matchMedia('(pointer: fine)').matches) search.input.focus()
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
    submit: words.keySubmit,
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

/** The supported syntax: a name and an example. A test renders each example. */
export function syntaxRows(
  words: AllStrings,
): readonly (readonly [name: string, source: string])[] {
  const { buttons, sampleText: text, sampleAddress: address } = words
  return [
    [buttons.bold, `**${text}**`],
    [buttons.italic, `_${text}_`],
    [buttons.strikethrough, `~~${text}~~`],
    [buttons.highlight, `==${text}==`],
    [buttons.superscript, `^${text}^`],
    [buttons.subscript, `~${text}~`],
    [buttons.code, `\`${text}\``],
    [buttons.link, `[${text}](${address})`],
    [buttons.image, `![${text}](${words.samplePicture})`],
    [words.helpHeading, `# ${text}`],
    [buttons.quote, `> ${text}`],
    [words.helpAlert, `> [!NOTE]\n> ${words.sampleNote}`],
    [buttons['unordered-list'], `- ${text}\n  - ${text}`],
    [buttons['ordered-list'], `1. ${text}\n2. ${text}`],
    [buttons['task-list'], `- [ ] ${text}\n- [x] ${text}`],
    [buttons['code-block'], `\`\`\`js\nlet a = 1\n\`\`\``],
    [buttons.table, `| ${text} | ${text} |\n| --- | ---: |\n| ${text} | 1 |`],
    [buttons.details, `<details>\n<summary>${text}</summary>\n\n${text}\n\n</details>`],
    [buttons['horizontal-rule'], '---'],
    [words.helpFootnote, `${text}[^1]\n\n[^1]: ${text}`],
    [words.helpPlayer, 'https://youtu.be/dQw4w9WgXcQ'],
    [words.helpEscape, '\\*'],
  ]
}
