/**
 * Sets a textarea's value as a user would: React watches the property on the element itself, and takes what is set there
 * for its own doing, so that it would ignore the `input` event that follows.
 */
export function writeValue(textarea: HTMLTextAreaElement, text: string): void {
  Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')?.set?.call(textarea, text)
}
