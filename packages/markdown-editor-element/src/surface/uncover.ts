/** Marks a textarea that is under another surface; the value is the `tabindex` that it had. */
export const COVERED = 'data-md-editor-covered'

/** Gives a textarea that was covered its attributes back. */
export function uncover(textarea: HTMLTextAreaElement): void {
  const tabIndex = textarea.getAttribute(COVERED)
  if (tabIndex === null) return
  for (const name of [COVERED, 'aria-hidden', 'tabindex']) textarea.removeAttribute(name)
  if (tabIndex !== '') textarea.setAttribute('tabindex', tabIndex)
}
