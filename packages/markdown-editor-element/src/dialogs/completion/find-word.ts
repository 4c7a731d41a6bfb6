import type { TextState } from '../../commands/edit.ts'
import { fencedBlocks } from '../../commands/line-grammar.ts'
import { isAfterOpenAddress, paragraphRange } from '../../commands/link-spans.ts'
import { CODE } from '../../commands/marks.ts'
import type { CompletionProvider } from './provider.ts'

/** A word that is being typed after a trigger, such as `@`. */
export interface TypedWord {
  readonly provider: CompletionProvider
  /** The offset at which the trigger begins. */
  readonly start: number
  readonly end: number
  readonly query: string
}

const LONGEST = 60
const WORD = /^[\p{L}\p{M}\p{N}_.+-]*$/u
const BEFORE_WORD = /^[^\p{L}\p{M}\p{N}_/\\`@:.-]?$/u

/** Returns the word at the caret that a provider completes, or null. */
export function findWord(
  { text, selectionStart: end, selectionEnd }: TextState,
  providers: readonly CompletionProvider[],
): TypedWord | null {
  if (end !== selectionEnd) return null
  const from = Math.max(0, end - LONGEST)
  const before = text.slice(from, end)
  for (const provider of providers) {
    const at = provider.trigger === '' ? -1 : before.lastIndexOf(provider.trigger)
    const query = before.slice(at + provider.trigger.length)
    const boundary = at > 0 ? (before[at - 1] ?? '') : (text[from - 1] ?? '')
    if (at !== -1 && WORD.test(query) && BEFORE_WORD.test(boundary))
      return { provider, start: from + at, end, query }
  }
  return null
}

/** Returns whether an offset is in code or an address, where nothing is completed. */
export function isVerbatim(text: string, offset: number): boolean {
  if (fencedBlocks(text).some(({ start, end }) => start < offset && offset <= end)) return true
  const { start } = paragraphRange({ text, selectionStart: offset, selectionEnd: offset })
  const before = text.slice(start, offset)
  const isInCode = (before.match(CODE) ?? []).some((found) => /^`+$/.test(found))
  const line = before.slice(before.lastIndexOf('\n') + 1)
  return isInCode || isAfterOpenAddress(text, offset) || /^(?: {4}|\t)|<[^<>\s]*$/.test(line)
}
