import type { MarkdownEditorElement } from '../element/index.ts'

const METHODS = ['run', 'addFiles', 'finalize', 'clearDraft'] as const

/** Gives an element whose script is still being loaded methods that wait for it. */
export function untilDefined(element: MarkdownEditorElement): MarkdownEditorElement {
  if (customElements.get(element.localName) !== undefined) return element
  const defined = customElements.whenDefined(element.localName).then(() => {
    for (const name of METHODS) Reflect.deleteProperty(element, name)
  })
  for (const name of METHODS) {
    const value = async (...values: unknown[]): Promise<unknown> => {
      await defined
      return Reflect.apply(element[name], element, values)
    }
    Object.defineProperty(element, name, { configurable: true, value })
  }
  return element
}
