import type { EditorStrings } from './strings.ts'

/**
 * Loads a part of the client that is a separate file.
 *
 * @throws Error with a message for the user if the file cannot be loaded, for example because a
 * deployment has removed the files of this page
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
