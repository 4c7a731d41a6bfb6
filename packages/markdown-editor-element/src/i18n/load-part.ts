import type { EditorStrings } from './strings.ts'

/**
 * Loads a script. If the script cannot be loaded, for example after a deployment, throws an error
 * with a message for the user.
 */
export async function loadPart<Part>(
  load: () => Promise<Part>,
  { partMissing }: Pick<EditorStrings, 'partMissing'>,
): Promise<Part> {
  try {
    return await load()
  } catch (cause) {
    throw new Error(partMissing, { cause })
  }
}

/** Returns the message of a thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
