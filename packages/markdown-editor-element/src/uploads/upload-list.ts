import { createButton, createElement } from '../dom/elements.ts'
import type { AllStrings } from '../i18n/strings.ts'

/** A button in the row of an upload. */
interface RowAction {
  readonly label: string
  /** The accessible name, if the label alone is not clear. */
  readonly name?: string
  readonly run: () => void
}

/** Shows uploads with their progress, one row each. */
export class UploadList {
  /** The list of rows. */
  readonly element: HTMLUListElement
  readonly #strings: AllStrings
  readonly #percent: Intl.NumberFormat
  readonly #leave: () => void

  /**
   * @param percent formats shares
   * @param leave moves the focus when its row and all buttons are gone
   */
  constructor(strings: AllStrings, percent: Intl.NumberFormat, leave: () => void) {
    this.#strings = strings
    this.#percent = percent
    this.#leave = leave
    this.element = createElement('ul', {
      class: 'md-editor-uploads',
      'aria-label': strings.uploads,
      hidden: true,
    })
  }

  /** Adds an empty row for a file. */
  add(name: string): UploadRow {
    const element = createElement('li', { class: 'md-editor-upload' })
    this.element.append(element)
    this.element.hidden = false
    const words = { name, strings: this.#strings, percent: this.#percent }
    return new UploadRow(element, words, (hadFocus) => this.#removed(hadFocus))
  }

  #removed(hadFocus: boolean): void {
    this.element.hidden = this.element.childElementCount === 0
    if (!hadFocus) return
    const next = this.element.querySelector('button')
    if (next === null) this.#leave()
    else next.focus()
  }
}

interface RowWords {
  /** The name of the file. */
  readonly name: string
  readonly strings: AllStrings
  readonly percent: Intl.NumberFormat
}

let count = 0

/** The row of one upload. */
export class UploadRow {
  readonly #element: HTMLLIElement
  readonly #words: RowWords
  readonly #removed: (hadFocus: boolean) => void
  readonly #labelId = `md-editor-upload-${++count}`
  #bar: HTMLProgressElement | null = null
  #share: HTMLElement | null = null

  /** @param removed is called when the row is removed, with true if it had the focus */
  constructor(element: HTMLLIElement, words: RowWords, removed: (hadFocus: boolean) => void) {
    this.#element = element
    this.#words = words
    this.#removed = removed
  }

  /** Shows the progress of the upload. */
  busy(cancel: () => void): void {
    const bar = createElement('progress', {
      max: '1',
      value: '0',
      'aria-label': this.#words.strings.uploading(this.#words.name),
    })
    const percent = createElement(
      'span',
      { class: 'md-editor-upload-percent' },
      this.#words.percent.format(0),
    )
    this.#fill(
      false,
      this.#label(this.#words.name),
      bar,
      percent,
      this.#button(this.#cancelAction(cancel)),
    )
    this.#bar = bar
    this.#share = percent
  }

  /** Shows the share that was sent, 0 to 1. */
  progress(share: number): void {
    if (this.#bar !== null) this.#bar.value = share
    if (this.#share !== null) this.#share.textContent = this.#words.percent.format(share)
  }

  /** Shows the result and buttons for it. */
  ended(message: string, actions: readonly RowAction[]): void {
    this.#fill(true, this.#label(message), ...actions.map((action) => this.#button(action)))
  }

  /** Shows the result until the user dismisses it or takes the action. */
  dismissible(message: string, action: RowAction | null): void {
    const dismiss = { label: this.#words.strings.dismiss, run: () => this.remove() }
    const leaving = action && {
      ...action,
      run: () => {
        this.remove()
        action.run()
      },
    }
    this.ended(message, leaving === null ? [dismiss] : [leaving, dismiss])
  }

  remove(): void {
    const hadFocus = this.#element.contains(document.activeElement)
    this.#element.remove()
    this.#removed(hadFocus)
  }

  #cancelAction(run: () => void): RowAction {
    return {
      label: this.#words.strings.cancel,
      name: this.#words.strings.cancelUpload(this.#words.name),
      run,
    }
  }

  #label(text: string): HTMLElement {
    return createElement(
      'span',
      { class: 'md-editor-upload-name', dir: 'auto', id: this.#labelId },
      text,
    )
  }

  #button({ label, name, run }: RowAction): HTMLButtonElement {
    const button = createButton(label, 'md-editor-action', run)
    if (name === undefined) button.setAttribute('aria-describedby', this.#labelId)
    else button.setAttribute('aria-label', name)
    return button
  }

  #fill(ended: boolean, ...content: readonly HTMLElement[]): void {
    const hadFocus = this.#element.contains(document.activeElement)
    this.#bar = null
    this.#share = null
    this.#element.classList.toggle('md-editor-upload-ended', ended)
    this.#element.replaceChildren(...content)
    if (hadFocus) this.#element.querySelector('button')?.focus()
  }
}
