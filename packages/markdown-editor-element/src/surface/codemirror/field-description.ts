import { Compartment, EditorState, type Extension } from '@codemirror/state'
import { EditorView, placeholder } from '@codemirror/view'
import type { EditorContext } from '../../editor/editor-context.ts'

const COPIED =
  /^(?:aria-(?!hidden$).*|lang|title|dir|inputmode|enterkeyhint|autocapitalize|autocorrect)$/

/** Applies the attributes of the field to the CodeMirror editor that covers it. */
export class FieldDescription {
  readonly extension: Extension
  readonly #context: Pick<EditorContext, 'host' | 'textarea'>
  readonly #part = new Compartment()
  #observer: MutationObserver | null = null

  constructor(context: Pick<EditorContext, 'host' | 'textarea'>) {
    this.#context = context
    this.extension = this.#part.of(this.#describe())
  }

  /** Observes the field's attributes, and the fieldsets that can disable the field. */
  observe(view: EditorView): void {
    const { textarea } = this.#context
    const observer = new MutationObserver(() => {
      view.dispatch({ effects: this.#part.reconfigure(this.#describe()) })
    })
    observer.observe(textarea, { attributes: true })
    for (
      let set = textarea.closest('fieldset');
      set !== null;
      set = set.parentElement?.closest('fieldset') ?? null
    )
      observer.observe(set, { attributeFilter: ['disabled'] })
    this.#observer = observer
  }

  end(): void {
    this.#observer?.disconnect()
  }

  #describe(): Extension {
    const { host, textarea } = this.#context
    const isDisabled = textarea.matches(':disabled')
    return [
      EditorState.readOnly.of(textarea.readOnly || isDisabled),
      EditorView.editable.of(!isDisabled),
      EditorView.contentAttributes.of(contentAttributes(textarea, host, isDisabled)),
      textarea.placeholder === '' ? [] : placeholder(textarea.placeholder),
    ]
  }
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
  const texts = document.createTreeWalker(label, NodeFilter.SHOW_ALL, (node) => {
    if (node === host) return NodeFilter.FILTER_REJECT
    return node.nodeType === Node.TEXT_NODE ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_SKIP
  })
  let text = ''
  while (texts.nextNode()) text += texts.currentNode.nodeValue
  return text.trim()
}
