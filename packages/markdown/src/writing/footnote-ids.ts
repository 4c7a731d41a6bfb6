/** The name of the id of a footnote. */
export function footnoteId(number: number): string {
  return `fn-${number}`
}

/**
 * The name of the id of a reference to a footnote: the footnote links back to it.
 *
 * @param count - which of the references to that footnote, from 1
 */
export function referenceId(number: number, count: number): string {
  return `fnref-${number}${count === 1 ? '' : `-${count}`}`
}
