import type { Edit } from '../commands/edit.ts'
import { createButton } from '../dom/elements.ts'
import { Field, openDialog } from '../editor/dialog.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { readSettings } from '../editor/read-settings.ts'
import { laterStrings } from '../i18n/later.ts'
import { type CheckedAddress, checkAddress, LINK_SCHEMES } from './address.ts'
import {
  type LinkTarget,
  type LinkValues,
  linkEdit,
  linkTarget,
  oneLine,
  unlinkEdit,
} from './link-text.ts'

/** Opens a dialog to edit the link at the caret, or to create one from the selection. */
export function openLinkDialog(context: EditorContext): void {
  const words = laterStrings(context.strings)
  const state = context.surface.read()
  const target = linkTarget(state)
  const form = new LinkForm(context, target)
  const finish = (edit: (current: LinkTarget) => Edit): void => {
    dialog.close()
    // The text may have changed meanwhile, for example because an upload has finished.
    context.edit(edit(linkTarget(context.surface.read())), true)
  }
  const confirm = (): void => {
    const link = form.values
    if ('problem' in link) form.address.fail(link.problem)
    else finish((current) => linkEdit(current, link, state.selectionStart < state.selectionEnd))
  }
  const remove = createButton(words.linkRemove, 'md-editor-action', () =>
    finish((current) => unlinkEdit(current, current)),
  )
  const dialog = openDialog(context, {
    name: 'link',
    title: target.exists ? words.linkEdit : words.linkNew,
    content: form.elements,
    actions: target.exists ? [remove] : [],
    confirm: { label: target.exists ? words.apply : words.insert, run: confirm },
  })
  form.address.input.select()
  form.address.input.focus()
}

type Values = CheckedAddress & Omit<LinkValues, 'address'>

/** The fields of the link dialog. */
class LinkForm {
  readonly address: Field
  readonly elements: readonly HTMLElement[]
  readonly #label: Field
  readonly #title: Field
  readonly #target: LinkTarget
  readonly #check: (address: string) => CheckedAddress

  constructor(context: EditorContext, target: LinkTarget) {
    const words = laterStrings(context.strings)
    const schemes = linkSchemes(context.host)
    const id = `${context.textarea.id}-link`
    this.#target = target
    this.#check = (address) => checkAddress(address, schemes, words)
    this.address = new Field(
      `${id}-address`,
      words.address,
      target.address,
      words.addressHint,
    ).forAddress()
    this.#label = new Field(`${id}-text`, words.linkText, oneLine(target.label))
    this.#title = new Field(`${id}-title`, words.linkTitle, oneLine(target.title))
    this.elements = [this.address, this.#label, this.#title].map(({ element }) => element)
    const { input } = this.address
    input.addEventListener('blur', () => {
      const check = this.#check(input.value)
      if (input.value.trim() !== '' && 'address' in check) input.value = check.address
    })
  }

  /**
   * The entered values. If the user did not change a label of several lines, its lines are kept.
   */
  get values(): Values {
    const label = this.#label.value
    return {
      ...this.#check(this.address.value),
      label: label === oneLine(this.#target.label) ? this.#target.label : label.trim(),
      title: this.#title.value.trim(),
    }
  }
}

function linkSchemes(host: HTMLElement): readonly string[] {
  const { policy } = readSettings(host)
  const given: unknown = policy?.schemes?.link
  return Array.isArray(given) && given.every((scheme) => typeof scheme === 'string')
    ? given
    : LINK_SCHEMES
}
