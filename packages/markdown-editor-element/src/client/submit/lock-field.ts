interface Locks {
  count: number
  /** Whether the field was read-only without them. */
  readonly before: boolean
}

const fields = new WeakMap<HTMLTextAreaElement, Locks>()

/**
 * Makes a field read-only.
 *
 * @returns ends that: the last of all who asked for it leaves the field as it was found
 */
export function lockField(textarea: HTMLTextAreaElement): () => void {
  const locks = fields.get(textarea) ?? { count: 0, before: textarea.readOnly }
  fields.set(textarea, locks)
  locks.count++
  textarea.readOnly = true
  return () => {
    locks.count--
    if (locks.count > 0) return
    fields.delete(textarea)
    textarea.readOnly = locks.before
  }
}
