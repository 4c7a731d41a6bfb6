import { createButton, createElement, hasFocus } from '../dom/elements.ts'
import type { NoticeAction } from '../editor/notice.ts'
import type { AllStrings } from '../i18n/strings.ts'

interface RowAction extends NoticeAction {
  /** The accessible name, if the label alone is not clear. */
  readonly name?: string
}

/** The list of uploads. It is hidden while it has no rows. */
export interface UploadList {
  readonly element: HTMLUListElement
  readonly strings: AllStrings
  readonly percent: Intl.NumberFormat
  /** Moves the focus to the text. */
  readonly leave: () => void
}

let count = 0

/** The row of one upload. It shows the progress or the result. */
export class UploadRow {
  readonly #element: HTMLLIElement = createElement('li', { class: 'md-editor-upload' })
  readonly #name: string
  readonly #list: UploadList
  readonly #labelId = `md-editor-upload-${++count}`
  #bar: HTMLProgressElement | null = null

  constructor(list: UploadList, name: string) {
    this.#name = name
    this.#list = list
    list.element.append(this.#element)
    list.element.hidden = false
  }

  showBusy(cancel: () => void): void {
    const { strings } = this.#list
    const action = { label: strings.cancel, name: strings.cancelUpload(this.#name), run: cancel }
    const label = strings.uploading(this.#name)
    this.#bar = createElement('progress', { max: '1', value: '0', 'aria-label': label })
    const share = createElement('span', { class: 'md-editor-upload-percent' })
    this.#fill(false, this.#label(this.#name), this.#bar, share, this.#button(action))
    this.showProgress(0)
  }

  /** @param share the uploaded share of the file, from 0 to 1 */
  showProgress(share: number): void {
    if (this.#bar === null) return
    this.#bar.value = share
    const text = this.#bar.nextElementSibling
    if (text !== null) text.textContent = this.#list.percent.format(share)
  }

  showResult(message: string, actions: readonly RowAction[]): void {
    this.#bar = null
    this.#fill(true, this.#label(message), ...actions.map((action) => this.#button(action)))
  }

  /** @param reveals true to scroll to the row, because it shows the result of the last action */
  showDismissible(message: string, action: NoticeAction | null, reveals: boolean = false): void {
    // The focus does not move to the next button, because that button may cancel another upload.
    const dismiss = { label: this.#list.strings.dismiss, run: () => this.#list.leave() }
    const actions = action === null ? [dismiss] : [action, dismiss]
    const leaving = actions.map(({ label, run }) => ({
      label,
      run: () => {
        this.remove()
        run()
      },
    }))
    this.showResult(message, leaving)
    if (reveals) this.#element.scrollIntoView({ block: 'nearest' })
  }

  /** Removes the row. If the row had the focus, the next button gets the focus. */
  remove(): void {
    const { element, leave } = this.#list
    const hadFocus = hasFocus(this.#element)
    this.#element.remove()
    element.hidden = element.childElementCount === 0
    if (!hadFocus) return
    const next = element.querySelector('button')
    if (next === null) leave()
    else next.focus()
  }

  #label(text: string): HTMLElement {
    const attributes = { class: 'md-editor-upload-name', dir: 'auto', id: this.#labelId }
    return createElement('span', attributes, text)
  }

  #button({ label, name, run }: RowAction): HTMLButtonElement {
    const button = createButton(label, 'md-editor-action', run)
    if (name === undefined) button.setAttribute('aria-describedby', this.#labelId)
    else button.setAttribute('aria-label', name)
    return button
  }

  #fill(ended: boolean, ...content: readonly HTMLElement[]): void {
    const hadFocus = hasFocus(this.#element)
    this.#element.classList.toggle('md-editor-upload-ended', ended)
    this.#element.replaceChildren(...content)
    if (hadFocus) this.#element.querySelector('button')?.focus()
  }
}
