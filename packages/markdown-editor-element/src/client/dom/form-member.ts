/** A member of a form as the browser has it: a field whose name is that of a member hides it. */
export function formMember<Key extends keyof HTMLFormElement & string>(
  form: HTMLFormElement,
  key: Key,
): HTMLFormElement[Key] {
  return Reflect.get(HTMLFormElement.prototype, key, form)
}
