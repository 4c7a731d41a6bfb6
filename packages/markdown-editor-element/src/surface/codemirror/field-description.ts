import { Compartment, EditorState, type Extension } from '@codemirror/state'
import { EditorView, placeholder } from '@codemirror/view'
import type { FieldContext } from '../surface.ts'

const COPIED =
  /^(?:aria-(?!hidden$).*|lang|title|dir|inputmode|enterkeyhint|autocapitalize|autocorrect)$/

/** Translates the attributes of a field for CodeMirror. */
function describeField(
  textarea: HTMLTextAreaElement,
  name: Readonly<Record<string, string>>,
): Extension {
  const isDisabled = textarea.matches(':disabled')
  return [
    EditorState.readOnly.of(textarea.readOnly || isDisabled),
    EditorView.editable.of(!isDisabled),
    EditorView.contentAttributes.of({ ...name, ...contentAttributes(textarea, isDisabled) }),
    textarea.placeholder === '' ? [] : placeholder(textarea.placeholder),
  ]
}

function contentAttributes(
  textarea: HTMLTextAreaElement,
  isDisabled: boolean,
): Record<string, string> {
  const attributes: Record<string, string> = {
    spellcheck: String(textarea.spellcheck),
    autocapitalize: 'sentences',
    autocorrect: 'on',
    writingsuggestions: 'true',
  }
  if (isDisabled) attributes['aria-disabled'] = 'true'
  if (textarea.readOnly) attributes['aria-readonly'] = 'true'
  if (textarea.required) attributes['aria-required'] = 'true'
  for (const { name, value } of textarea.attributes) {
    if (COPIED.test(name)) attributes[name] = value
  }
  // For each line: see `line-direction.ts`.
  if (attributes['dir'] === 'auto') delete attributes['dir']
  return attributes
}

/**
 * The accessible name of a field for CodeMirror. A label without an id gets one.
 *
 * @param host the element whose text does not count in a label around it
 * @param given is called with each label that got an id
 */
function nameOfField(
  textarea: HTMLTextAreaElement,
  host: Element,
  given: (label: HTMLLabelElement) => void,
): Record<string, string> {
  const labels = [...textarea.labels]
  if (labels.length === 0)
    return textarea.placeholder === '' ? {} : { 'aria-label': textarea.placeholder }
  if (labels.some((label) => label.contains(host))) {
    return { 'aria-label': labels.map((label) => textOutside(label, host)).join(' ') }
  }
  const ids = labels.map((label, index) => {
    if (label.id === '') {
      label.id = `${textarea.id}-label-${index}`
      given(label)
    }
    return label.id
  })
  return { 'aria-labelledby': ids.join(' ') }
}

function textOutside(label: HTMLLabelElement, host: Element): string {
  const texts = document.createTreeWalker(label, NodeFilter.SHOW_ALL, (node) =>
    node === host
      ? NodeFilter.FILTER_REJECT
      : node.nodeType === Node.TEXT_NODE
        ? NodeFilter.FILTER_ACCEPT
        : NodeFilter.FILTER_SKIP,
  )
  let text = ''
  while (texts.nextNode()) text += texts.currentNode.nodeValue
  return text.trim()
}

/** Keeps CodeMirror in step with the attributes of the field that it covers. */
export class FieldDescription {
  readonly #context: Pick<FieldContext, 'host' | 'textarea'>
  readonly #part = new Compartment()
  readonly #labelled: HTMLLabelElement[] = []
  readonly #observer: MutationObserver

  /** @param view gives the view, once there is one */
  constructor(context: Pick<FieldContext, 'host' | 'textarea'>, view: () => EditorView) {
    this.#context = context
    this.#observer = new MutationObserver(() => {
      view().dispatch({ effects: this.#part.reconfigure(this.#describe()) })
    })
  }

  get extension(): Extension {
    return this.#part.of(this.#describe())
  }

  /** Follows the attributes of the field, and of the fieldsets that disable it. */
  observe(): void {
    const { textarea } = this.#context
    this.#observer.observe(textarea, { attributes: true })
    for (
      let set = textarea.closest('fieldset');
      set !== null;
      set = set.parentElement?.closest('fieldset') ?? null
    ) {
      this.#observer.observe(set, { attributeFilter: ['disabled'] })
    }
  }

  end(): void {
    this.#observer.disconnect()
    for (const label of this.#labelled) label.removeAttribute('id')
  }

  #describe(): Extension {
    const { host, textarea } = this.#context
    const name = nameOfField(textarea, host, (label) => this.#labelled.push(label))
    return describeField(textarea, name)
  }
}
