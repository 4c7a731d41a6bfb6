import { editBetween } from '../commands/edit.ts'
import type { Range } from '../commands/selection.ts'
import { createButton, createElement } from '../dom/elements.ts'
import { Field, openDialog } from '../editor/dialog.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { readSettings } from '../editor/read-settings.ts'
import { laterStrings } from '../i18n/later.ts'
import { type CheckedAddress, checkAddress, LINK_SCHEMES } from './address.ts'
import {
  type LinkTarget,
  type LinkValues,
  linkEdit,
  linkMarkdown,
  linkTarget,
  oneLine,
  unlinkEdit,
} from './link-text.ts'

/** Asks for a link's address and text, for the selection or the link at the caret. */
export function openLinkDialog(context: EditorContext): void {
  const words = laterStrings(context.strings)
  const state = context.surface.read()
  const target = linkTarget(state)
  const source = createElement('code', { dir: 'auto' })
  const form = new LinkForm(context, target, () => show(source, form.values))
  const finish = (
    edit: (range: { start: number; end: number }) => ReturnType<typeof linkEdit>,
  ): void => {
    dialog.close()
    const now = context.surface.read()
    const range = rebase(target, state.text, now.text)
    context.edit(edit(range ?? { start: now.selectionEnd, end: now.selectionEnd }), true)
  }
  const confirm = (): void => {
    const link = form.values
    if ('problem' in link) form.address.fail(link.problem)
    else finish((range) => linkEdit(range, link, state.selectionStart < state.selectionEnd))
  }
  const remove = createButton(words.linkRemove, 'md-editor-action', () =>
    finish((range) => unlinkEdit(range, target)),
  )
  const dialog = openDialog(context, {
    name: 'link',
    title: target.exists ? words.linkEdit : words.linkNew,
    content: [...form.elements, result(words.willInsert, source)],
    actions: target.exists ? [remove] : [],
    confirm: { label: target.exists ? words.apply : words.insert, run: confirm },
  })
  show(source, form.values)
  form.address.input.select()
  form.address.input.focus()
}

type Values = CheckedAddress & Omit<LinkValues, 'address'>

/** The fields of a link. */
class LinkForm {
  readonly address: Field
  readonly elements: readonly HTMLElement[]
  readonly #label: Field
  readonly #title: Field
  readonly #target: LinkTarget
  readonly #check: (address: string) => CheckedAddress

  constructor(context: EditorContext, target: LinkTarget, update: () => void) {
    const words = laterStrings(context.strings)
    const schemes = linkSchemes(context.host)
    const id = `${context.textarea.id}-link`
    this.#target = target
    this.#check = (address) => checkAddress(address, schemes, words)
    this.address = new Field(
      `${id}-address`,
      words.address,
      target.address,
      update,
      words.addressHint,
    ).forAddress()
    this.#label = new Field(`${id}-text`, words.linkText, oneLine(target.label), update)
    this.#title = new Field(`${id}-title`, words.linkTitle, oneLine(target.title), update)
    this.elements = [this.address, this.#label, this.#title].map(({ element }) => element)
    const { input } = this.address
    input.addEventListener('blur', () => {
      const check = this.#check(input.value)
      if (input.value.trim() !== '' && 'address' in check) input.value = check.address
    })
  }

  /** A text of several lines stays as it was written, unless it is changed here. */
  get values(): Values {
    const label = this.#label.value
    return {
      ...this.#check(this.address.value),
      label: label === oneLine(this.#target.label) ? this.#target.label : label.trim(),
      title: this.#title.value.trim(),
    }
  }
}

/** A line that shows what will stand in the text. */
export function result(label: string, source: HTMLElement): HTMLElement {
  return createElement(
    'p',
    { class: 'md-editor-result', hidden: true },
    createElement('span', {}, label),
    source,
  )
}

function show(source: HTMLElement, link: Values): void {
  source.textContent = 'address' in link ? linkMarkdown(link) : ''
  if (source.parentElement !== null) source.parentElement.hidden = source.textContent === ''
}

function linkSchemes(host: HTMLElement): readonly string[] {
  const { policy } = readSettings(host)
  const given: unknown = policy?.schemes?.link
  return Array.isArray(given) && given.every((scheme) => typeof scheme === 'string')
    ? given
    : LINK_SCHEMES
}

/**
 * Where a part of a text is after the text has changed; null when the part itself has changed. A
 * dialog may be open while a file arrives in the text.
 */
export function rebase(range: Range, before: string, after: string): Range | null {
  const still = { selectionStart: 0, selectionEnd: 0 }
  const edit = editBetween({ text: before, ...still }, { text: after, ...still })
  if (edit === null || edit.start >= range.end) return range
  if (edit.end > range.start) return null
  const shift = after.length - before.length
  return { start: range.start + shift, end: range.end + shift }
}
