/** A suggestion in the list of completions. Its values are shown as text, never as HTML. */
export interface CompletionItem {
  readonly label: string
  /** Shown next to the label in a weaker color. */
  readonly detail?: string
  /** One or two characters before the label, such as an emoji. */
  readonly icon?: string
}

/**
 * Completes words that are typed after a trigger, such as `@` for people.
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
  /**
   * The characters that start a completion, such as `@`. They work only at the start of a word,
   * outside code and addresses.
   */
  readonly trigger: string
  /** The minimum number of characters after the trigger. @default 0 */
  readonly minLength?: number
  /**
   * Returns the matches for the characters after the trigger, best first.
   *
   * @param signal aborted when the user continues to type or closes the list
   */
  search(query: string, signal: AbortSignal): readonly Item[] | Promise<readonly Item[]>
  /** The replacement for the trigger and the query. @default the trigger, the label and a space */
  insert?(item: Item): string
}
