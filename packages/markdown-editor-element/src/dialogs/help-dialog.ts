import { createElement } from '../dom/elements.ts'
import { hasTouchScreen, isApple } from '../dom/key-press.ts'
import { Field, openDialog } from '../editor/dialog.ts'
import { createIcon } from '../editor/icons.ts'
import { lazyStrings } from '../i18n/en-lazy.ts'
import type { AllStrings } from '../i18n/strings.ts'
import { displayKeys, keysOf, SHORTCUTS, type ShortcutName } from '../toolbar/shortcuts.ts'
import type { FileTarget } from '../uploads/file-input.ts'

/** Opens the help on shortcuts and Markdown, with a search field. */
export function openHelp(context: FileTarget): void {
  const strings = lazyStrings(context.strings)
  const keys = keyRows(strings, context.accepts()).map(([name, written]) =>
    row(name, createElement('kbd', { dir: 'auto' }, written)),
  )
  const syntax = syntaxRows(strings).map(([name, source, look]) =>
    row(name, createElement('code', { dir: 'ltr' }, source), build(look)),
  )
  const search = new Field(`${context.textarea.id}-search`, strings.helpSearch, '')
  const found = createElement('p', { class: 'md-editor-hint', role: 'status' })
  const rows = [...keys, ...syntax]
  search.input.addEventListener('input', () => {
    const wanted = search.value.trim().toLowerCase()
    for (const each of rows) each.hidden = !each.textContent?.toLowerCase().includes(wanted)
  })
  search.onPause(() => {
    const message = strings.helpFound(rows.filter(({ hidden }) => !hidden).length)
    if (found.textContent !== message) found.textContent = message
  })
  const sections = [section(strings.helpKeys, keys), section(strings.helpMarkdown, syntax)]
  const help = createElement('div', { class: 'md-editor-help' }, ...sections)
  const content = [search.element, found, help]
  openDialog(context, { name: 'help', title: strings.help, content })
  if (matchMedia('(pointer: fine)').matches) search.input.focus()
}

function keyRows(
  strings: AllStrings,
  takesFiles: boolean,
): (readonly [name: string, keys: string])[] {
  // One row shows the keys of all heading levels.
  const shortcuts = SHORTCUTS.filter(([name]) => !/^heading-[2-6]$/.test(name)).map(
    ([name]) => [labelFor(name, strings), keysOf(name).replace(/(?<!F)1$/, '1 … 6')] as const,
  )
  const named = (keys: string): string => keys.replace(/[A-Z][a-z]+/g, strings.keyName)
  const rows = [
    ...shortcuts,
    [strings.buttons.undo, displayKeys('Mod+Z')],
    [strings.buttons.redo, displayKeys(isApple() ? 'Mod+Shift+Z' : 'Mod+Y')],
    [strings.keyEnter, 'Enter'],
    [strings.keyTab, 'Tab, Shift+Tab'],
    hasTouchScreen() ? [strings.keyNextCell, 'Enter'] : [strings.keyCell, 'Tab, Shift+Tab, Enter'],
    ...(takesFiles ? [[strings.keyUpload, displayKeys('Mod+V')] as const] : []),
  ] as const
  return [
    ...rows.map(([name, keys]) => [name, named(keys)] as const),
    [strings.keyLeave, strings.keyThen(named('Esc'), named('Tab'))],
  ]
}

function labelFor(name: ShortcutName, strings: AllStrings): string {
  const own: Readonly<Record<string, string>> = {
    ...strings.buttons,
    'heading-1': strings.helpHeading,
    modes: strings.keyModes,
    submit: strings.keySubmit,
    toolbar: strings.keyToolbar,
    help: strings.keyHelp,
  }
  return own[name] ?? name
}

function section(title: string, rows: readonly HTMLElement[]): HTMLElement {
  const list = createElement('dl', { class: 'md-editor-list' }, ...rows)
  return createElement('section', {}, createElement('h3', {}, title), list)
}

function row(name: string, ...values: (Node | string)[]): HTMLElement {
  const cells = values.map((value) => createElement('dd', {}, value))
  return createElement('div', { class: 'md-editor-row' }, createElement('dt', {}, name), ...cells)
}

/** The look of an example: a text, or an array with the name and the children of an element. */
type Sample = string | ElementSample
interface ElementSample extends ReadonlyArray<Sample> {
  readonly 0: keyof HTMLElementTagNameMap
}

function build(sample: Sample): Node | string {
  if (typeof sample === 'string') return sample
  if (sample[0] === 'img') return createIcon('image')
  return createElement(sample[0], {}, ...sample.slice(1).map(build))
}

/** Returns the name, an example and the look of the example for each kind of Markdown. */
export function syntaxRows(
  strings: AllStrings,
): readonly (readonly [name: string, source: string, look: Sample])[] {
  const { buttons, sampleText: text, sampleAddress: address } = strings
  const table: Sample = [
    'table',
    ['thead', ['tr', ['th', text], ['th', text]]],
    ['tbody', ['tr', ['td', text], ['td', '1']]],
  ]
  return [
    [buttons.bold, `**${text}**`, ['strong', text]],
    [buttons.italic, `_${text}_`, ['em', text]],
    [buttons.strikethrough, `~~${text}~~`, ['del', text]],
    [buttons.highlight, `==${text}==`, ['mark', text]],
    [buttons.superscript, `^${text}^`, ['sup', text]],
    [buttons.subscript, `~${text}~`, ['sub', text]],
    [buttons.code, `\`${text}\``, ['code', text]],
    [buttons.link, `[${text}](${address})`, ['u', text]],
    [buttons.image, `![${text}](${strings.samplePicture})`, ['img']],
    [strings.helpHeading, `# ${text}`, ['b', text]],
    [buttons.quote, `> ${text}`, ['blockquote', text]],
    [
      strings.helpAlert,
      `> [!NOTE]\n> ${strings.sampleNote}`,
      ['div', ['strong', 'Note'], ['br'], strings.sampleNote],
    ],
    [
      buttons['unordered-list'],
      `- ${text}\n  - ${text}`,
      ['ul', ['li', text, ['ul', ['li', text]]]],
    ],
    [buttons['ordered-list'], `1. ${text}\n2. ${text}`, ['ol', ['li', text], ['li', text]]],
    [
      buttons['task-list'],
      `- [ ] ${text}\n- [x] ${text}`,
      ['span', `☐ ${text}`, ['br'], `☑ ${text}`],
    ],
    [buttons['code-block'], '```js\nlet a = 1\n```', ['pre', ['code', 'let a = 1']]],
    [buttons.table, `| ${text} | ${text} |\n| --- | ---: |\n| ${text} | 1 |`, table],
    [
      buttons.details,
      `<details>\n<summary>${text}</summary>\n\n${text}\n\n</details>`,
      ['details', ['summary', text], text],
    ],
    [buttons['horizontal-rule'], '---', ['hr']],
    [strings.helpFootnote, `${text}[^1]\n\n[^1]: ${text}`, ['span', text, ['sup', '1']]],
    [strings.helpPlayer, 'https://youtu.be/dQw4w9WgXcQ', '▶ YouTube'],
    [strings.helpEscape, '\\*', '*'],
  ]
}
