import type { EditorStrings } from './strings.ts'

/**
 * Loads a part of the client that is a file of its own.
 *
 * @throws Error with a message for the user: after a deploy the server may no longer have the files
 * of this page
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

/** The words of an error, whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
