import type { EmbedHost } from '@quillgate/markdown/embeds'
import { acceptedTypes, type FileKind } from '../contract/file-types.ts'
import { defaultLabel } from '../contract/media-markdown.ts'
import { createButton, createElement } from '../dom/elements.ts'
import { Field } from '../editor/dialog.ts'
import { lazyStrings } from '../i18n/en-lazy.ts'
import type { AllStrings } from '../i18n/strings.ts'
import { limitsOf, problemOf } from '../uploads/check-file.ts'
import { type FileTarget, openChooser } from '../uploads/file-input.ts'
import type { MediaKind } from './media-text.ts'

/** The fields of a dialog for media. If files are chosen, the address is hidden. */
export class MediaFields {
  /** The button to choose files; null if files of this kind cannot be uploaded. */
  readonly button: HTMLButtonElement | null
  readonly address: Field
  readonly label: Field
  /** A message about the address, or the name or number of the chosen files. */
  readonly note: HTMLElement = createElement('p', { class: 'md-editor-hint', role: 'status' })
  files: readonly File[] = []
  readonly #host: HTMLElement
  readonly #strings: AllStrings
  readonly #problem: HTMLElement

  constructor(
    kind: MediaKind,
    context: FileTarget,
    values: { readonly address: string; readonly label: string },
    multiple: boolean,
    hosts: readonly EmbedHost[] = [],
  ) {
    const strings = lazyStrings(context.strings)
    const id = `${context.textarea.id}-media`
    const isFramed = kind === 'video' || kind === 'embed'
    const title = isFramed ? strings.embedAddress : strings.address
    const sites = [...new Set(hosts.map((each) => each.name))]
    const hint = isFramed ? strings.embedHint(sites.join(', ')) : ''
    const name = kind === 'image' ? strings.imageText : strings.linkText
    this.#host = context.host
    this.#strings = strings
    this.address = new Field(`${id}-address`, title, values.address, hint).forAddress()
    this.label = new Field(`${id}-label`, isFramed ? strings.embedTitle : name, values.label)
    const problem = { id: `${id}-problem`, class: 'md-editor-problem', role: 'alert' }
    this.#problem = createElement('p', problem)
    this.button = kind !== 'embed' && context.accepts() ? this.#createButton(kind, multiple) : null
  }

  get elements(): readonly HTMLElement[] {
    const { address, button, label, note } = this
    const own = [createElement('div', {}, address.element, note), label.element]
    if (button === null) return own
    return [createElement('div', { class: 'md-editor-field' }, button, this.#problem), ...own]
  }

  #createButton(kind: FileKind, multiple: boolean): HTMLButtonElement | null {
    const accepted = acceptedTypes(kind, this.#host.getAttribute('upload-types'))
    if (accepted === null) return null
    const { chooseFile, chooseFiles } = this.#strings
    const button = createButton(multiple ? chooseFiles : chooseFile, 'md-editor-action', () =>
      openChooser(accepted, multiple, (files) => this.#take(files)),
    )
    button.setAttribute('aria-describedby', this.#problem.id)
    return button
  }

  #take(files: readonly File[]): void {
    const { address, label, note } = this
    const strings = this.#strings
    const problems = files.map((file) => problemOf(file, limitsOf(this.#host), strings))
    const problem = problems.filter((each) => each !== null).join(' ')
    const isUnchanged = label.value === labelOf(this.files)
    this.files = problem === '' ? files : []
    const count = this.files.length
    note.textContent = count > 1 ? strings.fileCount(count) : (this.files[0]?.name ?? '')
    address.element.hidden = count > 0
    label.element.hidden = count > 1
    if (isUnchanged) label.input.value = labelOf(this.files)
    this.#problem.textContent = problem
    const focused = problem === '' ? label.input : this.button
    focused?.focus()
    if (focused === label.input) label.input.select()
  }
}

function labelOf([first]: readonly File[]): string {
  return first === undefined ? '' : defaultLabel(first)
}
