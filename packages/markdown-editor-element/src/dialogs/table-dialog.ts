import {
  deleteTable,
  newTable,
  TABLE_CHANGES,
  type Table,
  type TableChangeName,
  tableAt,
  tableEdit,
} from '../commands/tables.ts'
import { createElement } from '../dom/elements.ts'
import { openDialog } from '../editor/dialog.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { laterStrings } from '../i18n/later.ts'
import type { AllStrings } from '../i18n/strings.ts'
import { SizeGrid } from './size-grid.ts'

/** Asks how large a new table is to be, or what is to change in the one at the caret. */
export function openTableDialog(context: EditorContext): void {
  const table = tableAt(context.surface.read())
  if (table === null) openSizeDialog(context)
  else openChangeDialog(context, table)
}

function openSizeDialog(context: EditorContext): void {
  const words = laterStrings(context.strings)
  const grid = new SizeGrid(words, (columns, rows) => {
    dialog.close()
    context.edit(newTable(context.surface.read(), columns, rows, words.tableHeader), true)
  })
  const note = createElement(
    'p',
    { class: 'md-editor-size md-editor-hint' },
    words.tableHeaderCounts,
  )
  const content = [grid.element, grid.caption, note]
  const dialog = openDialog(context, { name: 'table', title: words.tableNew, content })
  place(dialog, context.host)
  grid.focus()
}

function openChangeDialog(context: EditorContext, table: Table): void {
  const words = laterStrings(context.strings)
  const apply = (name: TableChangeName | 'delete'): void => {
    dialog.close()
    const state = context.surface.read()
    // The text may have changed since.
    const current = tableAt(state)
    if (current === null) return
    const changed = name === 'delete' ? null : TABLE_CHANGES[name](current)
    const edit =
      name === 'delete' ? deleteTable(state, current) : changed && tableEdit(state, changed)
    if (edit === null) context.surface.focus()
    else context.edit(edit, true)
  }
  const button = (
    name: TableChangeName | 'delete',
    label: string,
    pressed?: boolean,
  ): HTMLButtonElement => {
    const element = createElement('button', {
      type: 'button',
      class: 'md-editor-action',
      'aria-pressed': pressed === undefined ? null : String(pressed),
      'data-change': name,
    })
    element.append(label)
    element.disabled = name !== 'delete' && TABLE_CHANGES[name](table) === null
    element.addEventListener('click', () => apply(name))
    return element
  }
  const dialog = openDialog(context, {
    name: 'table',
    title: words.tableEdit,
    content: groups(table, words, button),
  })
  place(dialog, context.host)
  dialog.querySelector<HTMLButtonElement>('[data-change="row-below"]')?.focus()
}

function groups(
  table: Table,
  words: AllStrings,
  button: (name: TableChangeName | 'delete', label: string, pressed?: boolean) => HTMLButtonElement,
): HTMLElement[] {
  const alignment = table.alignments[table.column] ?? null
  return [
    group(words.tableRow, [
      button('row-above', words.rowAbove),
      button('row-below', words.rowBelow),
      button('row-delete', words.rowDelete),
    ]),
    group(words.tableColumn, [
      button('column-before', words.columnBefore),
      button('column-after', words.columnAfter),
      button('column-delete', words.columnDelete),
    ]),
    group(words.tableAlignment, [
      button('align-none', words.alignNone, alignment === null),
      button('align-left', words.alignLeft, alignment === 'left'),
      button('align-center', words.alignCenter, alignment === 'center'),
      button('align-right', words.alignRight, alignment === 'right'),
    ]),
    group(words.buttons.table, [
      button('format', words.tableFormat),
      button('delete', words.tableDelete),
    ]),
  ]
}

function group(label: string, buttons: readonly HTMLElement[]): HTMLElement {
  const row = createElement('div', { class: 'md-editor-buttons' }, ...buttons)
  const head = createElement('h3', {}, label)
  const element = createElement(
    'div',
    { class: 'md-editor-group', role: 'group', 'aria-label': label },
    head,
    row,
  )
  return element
}

/** Puts a dialog below the button that opens it, within the editor as far as there is room. */
function place(dialog: HTMLDialogElement, host: HTMLElement): void {
  const button = host.querySelector('[data-command="table"]')?.getBoundingClientRect()
  if (button === undefined || button.width === 0) return
  const { offsetWidth: width, offsetHeight: height } = dialog
  const room = document.documentElement
  const clamp = (at: number, most: number): number => Math.max(8, Math.min(at, most - 8))
  const rtl = getComputedStyle(host).direction === 'rtl'
  const editor = host.getBoundingClientRect()
  const wanted = rtl ? button.right - width : button.left
  const inside = Math.max(editor.left, Math.min(wanted, editor.right - width))
  const left = clamp(inside, room.clientWidth - width)
  const below = button.bottom + 4 + height <= room.clientHeight
  const top = below ? button.bottom + 4 : clamp(button.top - height - 4, room.clientHeight - height)
  dialog.style.setProperty('margin', '0')
  dialog.style.setProperty('inset', `${top}px auto auto ${left}px`)
}
