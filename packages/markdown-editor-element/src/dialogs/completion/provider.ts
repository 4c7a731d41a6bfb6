/** One thing that can be completed. All of it is shown as text, never as HTML. */
export interface CompletionItem {
  readonly label: string
  /** Shown beside the label, in a quieter voice. */
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
   * What fits to the characters behind the sign, best first.
   *
   * @param signal aborted when something else is typed: the answer is not wanted any more
   */
  search(query: string, signal: AbortSignal): readonly Item[] | Promise<readonly Item[]>
  /** What takes the place of the sign and what is behind it. @default the sign, the label and a space */
  insert?(item: Item): string
}
