import type { EmbedHost } from '@quillgate/markdown/embeds'
import { acceptedTypes } from '../contract/file-types.ts'
import { defaultLabel } from '../contract/media-markdown.ts'
import { createButton, createElement } from '../dom/elements.ts'
import { Field } from '../editor/dialog.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { lazyStrings } from '../i18n/en-lazy.ts'
import type { AllStrings } from '../i18n/strings.ts'
import { limitsOf, problemOf } from '../uploads/check-file.ts'
import { type FileTarget, openChooser } from '../uploads/file-input.ts'
import { type MediaKind, siteNames } from './media-text.ts'

/** The fields of a dialog for media. If files are chosen, the address is hidden. */
export class MediaFields {
  readonly address: Field
  readonly label: Field
  /** A message about the address, or the name or number of the chosen files. */
  readonly note: HTMLElement = createElement('p', { class: 'md-editor-hint', role: 'status' })
  files: readonly File[] = []
  readonly #host: HTMLElement
  readonly #strings: AllStrings

  constructor(
    kind: MediaKind,
    context: EditorContext,
    values: { readonly address: string; readonly label: string },
    hosts: readonly EmbedHost[] = [],
  ) {
    const strings = lazyStrings(context.strings)
    const id = `${context.textarea.id}-media`
    const isFramed = kind === 'video' || kind === 'embed'
    const title = isFramed ? strings.embedAddress : strings.address
    const hint = isFramed ? strings.embedHint(siteNames(hosts).join(', ')) : ''
    const name = kind === 'image' ? strings.imageText : strings.linkText
    this.#host = context.host
    this.#strings = strings
    this.address = new Field(`${id}-address`, title, values.address, hint).forAddress()
    this.label = new Field(`${id}-label`, isFramed ? strings.embedTitle : name, values.label)
  }

  get elements(): readonly HTMLElement[] {
    return [createElement('div', {}, this.address.element, this.note), this.label.element]
  }

  /**
   * Creates the button to choose files. If files of this kind cannot be uploaded, returns no
   * button.
   */
  createButtons(kind: MediaKind, target: FileTarget, multiple: boolean): HTMLButtonElement[] {
    if (kind === 'embed' || !target.accepts()) return []
    const accepted = acceptedTypes(kind, this.#host.getAttribute('upload-types'))
    if (accepted === null) return []
    const choose = (): void => openChooser(accepted, multiple, (files) => this.#take(files))
    const { chooseFile, chooseFiles } = this.#strings
    return [createButton(multiple ? chooseFiles : chooseFile, 'md-editor-action', choose)]
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
    label.input.select()
    label.input.focus()
    if (problem !== '') address.fail(problem)
  }
}

function labelOf([first]: readonly File[]): string {
  return first === undefined ? '' : defaultLabel(first)
}
