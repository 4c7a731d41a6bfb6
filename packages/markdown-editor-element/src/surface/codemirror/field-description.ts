import { Compartment, EditorState, type Extension } from '@codemirror/state'
import { EditorView, type PluginValue, placeholder, ViewPlugin } from '@codemirror/view'
import type { EditorContext } from '../../editor/editor-context.ts'

const COPIED =
  /^(?:aria-(?!hidden$).*|lang|title|dir|inputmode|enterkeyhint|autocapitalize|autocorrect)$/

/** Applies the attributes of the covered field to CodeMirror, and follows their changes. */
export function describeField(context: EditorContext): Extension {
  const part = new Compartment()
  const observe = (view: EditorView): PluginValue => {
    const observer = new MutationObserver(() => {
      view.dispatch({ effects: part.reconfigure(description(context)) })
    })
    observer.observe(context.textarea, { attributes: true })
    let set = context.textarea.closest('fieldset')
    while (set !== null) {
      observer.observe(set, { attributeFilter: ['disabled'] })
      set = set.parentElement?.closest('fieldset') ?? null
    }
    return { destroy: () => observer.disconnect() }
  }
  return [part.of(description(context)), ViewPlugin.define(observe)]
}

function description({ host, textarea }: EditorContext): Extension {
  const isDisabled = textarea.matches(':disabled')
  return [
    EditorState.readOnly.of(textarea.readOnly || isDisabled),
    EditorView.editable.of(!isDisabled),
    EditorView.contentAttributes.of(contentAttributes(textarea, host, isDisabled)),
    textarea.placeholder === '' ? [] : placeholder(textarea.placeholder),
  ]
}

function contentAttributes(
  textarea: HTMLTextAreaElement,
  host: HTMLElement,
  isDisabled: boolean,
): Record<string, string> {
  const attributes: Record<string, string> = {
    spellcheck: String(textarea.spellcheck),
    autocapitalize: 'sentences',
    autocorrect: 'on',
    writingsuggestions: 'true',
  }
  const name = [...textarea.labels].map((label) => textOf(label, host)).join(' ')
  if (name + textarea.placeholder !== '') attributes['aria-label'] = name || textarea.placeholder
  if (isDisabled) attributes['aria-disabled'] = 'true'
  if (textarea.readOnly) attributes['aria-readonly'] = 'true'
  if (textarea.required) attributes['aria-required'] = 'true'
  for (const { name, value } of textarea.attributes) {
    if (COPIED.test(name)) attributes[name] = value
  }
  // With `dir="auto"`, each line gets its own direction instead.
  if (attributes['dir'] === 'auto') delete attributes['dir']
  return attributes
}

/** Returns the text of a label without the text in `host`, which can be inside the label. */
function textOf(label: HTMLLabelElement, host: HTMLElement): string {
  const copy = label.cloneNode(true) as HTMLLabelElement
  copy.getElementsByTagName(host.localName)[0]?.remove()
  return copy.textContent.trim()
}
