/** Marks what an editor adds to its element. */
export const PART = 'data-md-editor-part'

type Child = Node | string

/** Makes an element. Attributes that are null are left out; `true` gives a bare one. */
export function createElement<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string | true | null>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null) element.setAttribute(key, value === true ? '' : value)
  }
  element.append(...children)
  return element
}

/** Makes a button that does not send the form. */
export function createButton(
  label: string,
  className: string,
  onClick: () => void,
): HTMLButtonElement {
  const button = createElement('button', { type: 'button', class: className }, label)
  button.addEventListener('click', onClick)
  return button
}

/** A member of a form as the browser has it: a field whose name is that of a member hides it. */
export function formMember<Key extends keyof HTMLFormElement & string>(
  form: HTMLFormElement,
  key: Key,
): HTMLFormElement[Key] {
  return Reflect.get(HTMLFormElement.prototype, key, form)
}

/**
 * Sets a textarea's value as a user would: React watches the property on the element itself, and
 * takes what is set there for its own doing, so that it would ignore the `input` event that
 * follows.
 */
export function writeValue(textarea: HTMLTextAreaElement, text: string): void {
  Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')?.set?.call(textarea, text)
}
