import {
  newTable,
  TABLE_CHANGES,
  type Table,
  type TableChangeName,
  tableAt,
  tableEdit,
} from '../commands/tables.ts'
import { createButton, createElement } from '../dom/elements.ts'
import { hasTouchScreen } from '../dom/key-press.ts'
import { openDialog } from '../editor/dialog.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { lazyStrings } from '../i18n/en-lazy.ts'
import { cellMessage } from '../toolbar/writing.ts'
import { placeAt } from './place.ts'
import { SizeGrid } from './size-grid.ts'

/** Opens a dialog to change the table at the caret, or to choose the size of a new table. */
export function openTableDialog(context: EditorContext): void {
  const table = tableAt(context.surface.read())
  if (table === null) openSizeDialog(context)
  else openChangeDialog(context, table)
}

function openSizeDialog(context: EditorContext): void {
  const strings = lazyStrings(context.strings)
  const grid = new SizeGrid(strings, (columns, rows) => {
    dialog.close()
    const edit = newTable(context.surface.read(), columns, rows, strings.tableHeader)
    if (context.edit(edit, true))
      context.notice.say(`${strings.inserted}. ${strings.tableSize(columns, rows)}`)
    void context.surface.reveal()
  })
  const id = `${context.textarea.id}-table-note`
  const hint = strings.tableHeaderCounts + (hasTouchScreen() ? ` ${strings.keyNextCell}` : '')
  const note = createElement('p', { id, class: 'md-editor-size md-editor-hint' }, hint)
  grid.element.setAttribute('aria-describedby', id)
  const content = [grid.caption, grid.element, note]
  const dialog = openDialog(context, { name: 'table', title: strings.buttons.table, content })
  place(dialog, context.host)
  grid.focus()
}

function openChangeDialog(context: EditorContext, table: Table): void {
  const strings = lazyStrings(context.strings)
  const button = (name: TableChangeName, label: string): HTMLButtonElement => {
    const element = createButton(label, 'md-editor-action', () => {
      dialog.close()
      change(context, name)
    })
    element.dataset['change'] = name
    element.disabled = TABLE_CHANGES[name](table) === null
    return element
  }
  const rows = [button('row-below', strings.rowBelow), button('row-delete', strings.rowDelete)]
  const columns = [
    button('column-after', strings.columnAfter),
    button('column-delete', strings.columnDelete),
  ]
  const content = [group(strings.tableRow, rows), group(strings.tableColumn, columns)]
  const dialog = openDialog(context, { name: 'table', title: strings.tableEdit, content })
  place(dialog, context.host)
  rows[0]?.focus()
}

/** Changes the table at the caret. Reads the text again, because it may have changed. */
function change(context: EditorContext, name: TableChangeName): void {
  const state = context.surface.read()
  const table = tableAt(state)
  const changed = table && TABLE_CHANGES[name](table)
  const edit = changed && tableEdit(state, changed)
  if (table === null || edit === null) context.surface.focus()
  else if (context.edit(edit, true)) context.notice.say(cellMessage(table, context))
}

function group(label: string, buttons: readonly HTMLElement[]): HTMLElement {
  return createElement(
    'div',
    { class: 'md-editor-group', role: 'group', 'aria-label': label },
    createElement('h3', {}, label),
    createElement('div', { class: 'md-editor-buttons' }, ...buttons),
  )
}

function place(dialog: HTMLDialogElement, host: HTMLElement): void {
  const button = host.querySelector('[data-command="table"]')?.getBoundingClientRect()
  if (button === undefined || button.width === 0) return
  const { left, top } = placeAt(button, dialog, host)
  dialog.style.setProperty('margin', '0')
  dialog.style.setProperty('inset', `${top}px auto auto ${left}px`)
}
