/** Puts a property on an element. Returns how it goes away again, unless somebody has put theirs over it. */
export function override(
  element: HTMLElement,
  name: string,
  descriptor: PropertyDescriptor,
): () => void {
  const before = Object.getOwnPropertyDescriptor(element, name)
  Object.defineProperty(element, name, { ...descriptor, configurable: true })
  const ours = Object.getOwnPropertyDescriptor(element, name)
  return () => {
    const now = Object.getOwnPropertyDescriptor(element, name)
    if (now?.value !== ours?.value || now?.get !== ours?.get) return
    Reflect.deleteProperty(element, name)
    if (before !== undefined) Object.defineProperty(element, name, before)
  }
}
