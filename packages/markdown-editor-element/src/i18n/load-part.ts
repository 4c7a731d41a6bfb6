import type { EditorStrings } from './strings.ts'

/** Loads a script. If that fails, as after a deployment, throws an error for the user. */
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
