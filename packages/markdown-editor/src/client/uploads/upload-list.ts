import { createButton, createElement } from '../dom/elements.ts'
import type { EditorStrings } from '../strings/strings.ts'

/** The row of one upload. */
export interface UploadRow {
  /** Shows the share that was sent, 0 to 1. */
  progress(share: number): void
  /** Shows how the upload ended, and what can be done about it; the row stays until it is dismissed. */
  ended(message: string, action: { label: string; run: () => void } | null): void
  remove(): void
}

/** Shows uploads with their progress, and tells screen readers how they begin and end. */
export class UploadList {
  /** Where the rows are. */
  readonly element: HTMLUListElement
  readonly #strings: EditorStrings

  constructor(strings: EditorStrings) {
    this.#strings = strings
    this.element = createElement('ul', { class: 'md-editor-uploads', 'aria-label': strings.uploads, hidden: true })
  }

  /** Adds a row. */
  add(name: string, onCancel: () => void): UploadRow {
    const bar = createElement('progress', { max: '1', value: '0', 'aria-label': this.#strings.uploading(name) })
    const percent = createElement('span', { class: 'md-editor-upload-percent' }, '0 %')
    const cancel = createButton(this.#strings.cancel, 'md-editor-action', onCancel)
    cancel.setAttribute('aria-label', this.#strings.cancelUpload(name))
    const label = createElement('span', { class: 'md-editor-upload-name', dir: 'auto' }, name)
    const row = createElement('li', { class: 'md-editor-upload' }, label, bar, percent, cancel)
    this.element.append(row)
    this.element.hidden = false

    const remove = (): void => {
      row.remove()
      this.element.hidden = this.element.childElementCount === 0
    }
    return {
      remove,
      progress: (share) => {
        bar.value = share
        percent.textContent = `${Math.round(share * 100)} %`
      },
      ended: (message, action) => {
        const buttons = [createButton(this.#strings.dismiss, 'md-editor-action', remove)]
        if (action !== null) {
          const act = (): void => {
            remove()
            action.run()
          }
          buttons.unshift(createButton(action.label, 'md-editor-action', act))
        }
        row.classList.add('md-editor-upload-ended')
        row.replaceChildren(createElement('span', { class: 'md-editor-upload-name' }, message), ...buttons)
      },
    }
  }
}
