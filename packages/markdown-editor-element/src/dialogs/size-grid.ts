import { createElement } from '../dom/elements.ts'
import type { AllStrings } from '../i18n/strings.ts'

// The maximum number of columns and rows. On touch screens, more would not fit.
const MOST = 6

/** A grid to choose the size of a table. It shows the size of the focused or hovered cell. */
export class SizeGrid {
  readonly element: HTMLDivElement
  /** Shows the size as text. Screen readers read the labels of the cells instead. */
  readonly caption: HTMLParagraphElement = createElement('p', {
    class: 'md-editor-size',
    'aria-hidden': 'true',
  })
  readonly #cells: HTMLButtonElement[] = []
  readonly #strings: AllStrings
  #columns = 0
  #rows = 0

  /** @param onChoose called with the size. The number of rows includes the header. */
  constructor(strings: AllStrings, onChoose: (columns: number, rows: number) => void) {
    this.#strings = strings
    this.element = createElement('div', {
      class: 'md-editor-grid',
      role: 'grid',
      'aria-label': strings.buttons.table,
    })
    for (let row = 1; row <= MOST; row++) {
      const line = createElement('div', { role: 'row' })
      for (let column = 1; column <= MOST; column++)
        line.append(this.#createCell(column, row, () => onChoose(column, row)))
      this.element.append(line)
    }
    this.element.addEventListener('keydown', (event) => this.#onKey(event))
    this.#show(2, 2)
  }

  focus(): void {
    this.#cellAt(this.#columns, this.#rows)?.focus()
  }

  #createCell(column: number, row: number, onChoose: () => void): HTMLElement {
    const label = this.#strings.tableSize(column, row)
    const cell = createElement('button', { type: 'button', role: 'gridcell', 'aria-label': label })
    cell.addEventListener('click', onChoose)
    for (const type of ['pointerenter', 'focus'])
      cell.addEventListener(type, () => this.#show(column, row))
    this.#cells.push(cell)
    return cell
  }

  #cellAt(column: number, row: number): HTMLButtonElement | undefined {
    return this.#cells[(row - 1) * MOST + column - 1]
  }

  #show(columns: number, rows: number): void {
    this.#columns = columns
    this.#rows = rows
    for (const [index, cell] of this.#cells.entries()) {
      const column = (index % MOST) + 1
      const row = Math.floor(index / MOST) + 1
      cell.toggleAttribute('data-inside', column <= columns && row <= rows)
      cell.tabIndex = column === columns && row === rows ? 0 : -1
    }
    this.caption.textContent = this.#strings.tableSize(columns, rows)
  }

  #onKey(event: KeyboardEvent): void {
    const rtl = getComputedStyle(this.element).direction === 'rtl'
    const forward = rtl ? -1 : 1
    const moves = new Map([
      ['ArrowRight', [forward, 0]],
      ['ArrowLeft', [-forward, 0]],
      ['ArrowDown', [0, 1]],
      ['ArrowUp', [0, -1]],
      ['Home', [-MOST, 0]],
      ['End', [MOST, 0]],
      ['PageUp', [0, -MOST]],
      ['PageDown', [0, MOST]],
    ])
    const [across = 0, down = 0] = moves.get(event.key) ?? []
    if (across === 0 && down === 0) return
    event.preventDefault()
    const within = (value: number): number => Math.max(1, Math.min(MOST, value))
    this.#cellAt(within(this.#columns + across), within(this.#rows + down))?.focus()
  }
}
