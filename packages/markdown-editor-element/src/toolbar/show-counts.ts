import type { EditorContext } from '../editor/editor-context.ts'

/** Begins to count words and characters. */
export async function showCounts(context: EditorContext): Promise<void> {
  try {
    const { Counts } = await import('./counts.ts')
    if (!context.signal.aborted) new Counts(context)
  } catch {
    // The counts are optional.
  }
}
