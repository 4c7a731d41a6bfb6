/** The attribute of the elements that an editor adds to its host element. */
export const PART = 'data-md-editor-part'

/** Creates an element. Omits attributes that are null. `true` sets an attribute without a value. */
export function createElement<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string | true | null>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null) element.setAttribute(key, value === true ? '' : value)
  }
  element.append(...children)
  return element
}

/** Creates a button that does not submit the form. */
export function createButton(
  label: string,
  className: string,
  onClick: () => void,
): HTMLButtonElement {
  const button = createElement('button', { type: 'button', class: className }, label)
  button.addEventListener('click', onClick)
  return button
}

/** Returns the focused element of the document or shadow root that contains a node. */
export function activeElementOf(node: Node): Element | null {
  return (node.getRootNode() as Document | ShadowRoot).activeElement
}

/** Returns whether an element or a part of it has the focus. */
export function hasFocus(element: Element): boolean {
  return element.contains(activeElementOf(element))
}

/** Reads a property of a form, even if a form field with that name hides it. */
export function formMember<Key extends keyof HTMLFormElement & string>(
  form: HTMLFormElement,
  key: Key,
): HTMLFormElement[Key] {
  return Reflect.get(HTMLFormElement.prototype, key, form)
}

/** Sets a value, but not with React's setter: React would ignore the next `input` event. */
export function writeValue(
  field: HTMLTextAreaElement | HTMLInputElement | HTMLSelectElement,
  text: string,
): void {
  Reflect.set(Object.getPrototypeOf(field), 'value', text, field)
}
