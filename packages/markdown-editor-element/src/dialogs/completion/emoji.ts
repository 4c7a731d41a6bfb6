import type { CompletionItem, CompletionProvider } from './provider.ts'

/** An emoji and its name. */
export interface EmojiItem extends CompletionItem {
  readonly emoji: string
}

/**
 * Completes `:smile` to 😄; its list is loaded when it is first used.
 *
 * @example
 * editor.completions = [emojiCompletion]
 */
export const emojiCompletion: CompletionProvider<EmojiItem> = {
  trigger: ':',
  minLength: 2,
  async search(query) {
    const { findEmoji } = await import('./emoji-list.ts')
    return findEmoji(query)
  },
  insert: ({ emoji }) => emoji,
}
