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
