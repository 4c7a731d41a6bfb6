import { createButton, createElement } from '../dom/elements.ts'
import type { EditorContext } from '../editor-context.ts'
import { readSettings } from '../preview/read-settings.ts'
import { laterStrings } from '../strings/later.ts'
import { type CheckedAddress, checkAddress, LINK_SCHEMES } from './address.ts'
import { openDialog } from './dialog.ts'
import { Field } from './field.ts'
import { type LinkValues, linkEdit, linkMarkdown, linkTarget, unlinkEdit } from './link-text.ts'
import { rebase } from './rebase.ts'

/** Asks for a link's address and text, for the selection or the link at the caret. */
export function openLinkDialog(context: EditorContext): void {
  const words = laterStrings(context.strings)
  const state = context.surface.read()
  const target = linkTarget(state)
  const schemes = linkSchemes(context.host)
  const source = createElement('code', { dir: 'auto' })
  const id = `${context.textarea.id}-link`
  const update = (): void => show(source, values())
  const shownLabel = oneLine(target.label)
  const address = new Field(`${id}-address`, words.address, target.address, update, words.addressHint).forAddress()
  const label = new Field(`${id}-text`, words.linkText, shownLabel, update)
  const title = new Field(`${id}-title`, words.linkTitle, oneLine(target.title), update)
  const checked = (): CheckedAddress => checkAddress(address.value, schemes, words)
  // A text of several lines stays as it was written, unless it is changed here.
  const values = (): CheckedAddress & Omit<LinkValues, 'address'> => ({
    ...checked(),
    label: label.value === shownLabel ? target.label : label.value.trim(),
    title: title.value.trim(),
  })

  const finish = (edit: (range: { start: number; end: number }) => ReturnType<typeof linkEdit>): void => {
    dialog.close()
    const now = context.surface.read()
    const range = rebase(target, state.text, now.text)
    context.edit(edit(range ?? { start: now.selectionEnd, end: now.selectionEnd }), true)
  }
  const confirm = (): void => {
    const link = values()
    if ('problem' in link) address.fail(link.problem)
    else finish((range) => linkEdit(range, link, state.selectionStart < state.selectionEnd))
  }
  const remove = createButton(words.linkRemove, 'md-editor-action', () => finish((range) => unlinkEdit(range, target)))
  const dialog = openDialog(context, {
    name: 'link',
    title: target.exists ? words.linkEdit : words.linkNew,
    content: [address.element, label.element, title.element, result(words.willInsert, source)],
    actions: target.exists ? [remove] : [],
    confirm: { label: target.exists ? words.apply : words.insert, run: confirm },
  })
  address.input.addEventListener('blur', () => {
    const check = checked()
    if (address.value.trim() !== '' && 'address' in check) address.input.value = check.address
  })
  update()
  address.input.select()
  address.input.focus()
}

/** A line that shows what will stand in the text. */
export function result(label: string, source: HTMLElement): HTMLElement {
  return createElement('p', { class: 'md-editor-result', hidden: true }, createElement('span', {}, label), source)
}

function show(source: HTMLElement, link: CheckedAddress & Omit<LinkValues, 'address'>): void {
  source.textContent = 'address' in link ? linkMarkdown(link) : ''
  if (source.parentElement !== null) source.parentElement.hidden = source.textContent === ''
}

function linkSchemes(host: HTMLElement): readonly string[] {
  const { policy } = readSettings(host)
  const given: unknown = policy?.schemes?.link
  return Array.isArray(given) && given.every((scheme) => typeof scheme === 'string') ? given : LINK_SCHEMES
}

function oneLine(text: string): string {
  return text.replace(/\s*\n[ \t>]*/g, ' ')
}
