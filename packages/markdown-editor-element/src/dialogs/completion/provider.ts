/** One thing that can be completed. All of it is shown as text, never as HTML. */
export interface CompletionItem {
  readonly label: string
  /** Shown next to the label in a weaker colour. */
  readonly detail?: string
  /** A sign or two before the label, such as an emoji. */
  readonly icon?: string
}

/**
 * Completes what is typed behind a sign, such as `@` for people.
 *
 * @example
 * editor.completions = [
 *   {
 *     trigger: '@',
 *     search: async (query, signal) => (await fetch(`/people?q=${encodeURIComponent(query)}`, { signal })).json(),
 *     insert: ({ login }) => `@${login} `,
 *   },
 * ]
 */
export interface CompletionProvider<Item extends CompletionItem = CompletionItem> {
  /** The sign, one or more characters; it counts only at the start of a word and outside code. */
  readonly trigger: string
  /** How many characters must follow the sign. @default 0 */
  readonly minLength?: number
  /**
   * Returns the matches for the characters after the trigger, best first.
   *
   * @param signal aborted when the user types on
   */
  search(query: string, signal: AbortSignal): readonly Item[] | Promise<readonly Item[]>
  /** The replacement for the trigger and the query. @default the trigger, the label and a space */
  insert?(item: Item): string
}
