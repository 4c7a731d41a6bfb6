import type { EditorStrings } from './strings/strings.ts'

type RewriteUrls = typeof import('../text/rewrite-urls.ts').rewriteUrls

/**
 * Loads a part of the client that is a file of its own.
 *
 * @throws Error with a message for the user: after a deploy the server may no longer have the files of this page
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

/**
 * Loads what puts permanent URLs into a text; the browser keeps it.
 *
 * @throws Error as {@link loadPart} does
 */
export async function loadRewriteUrls(strings: EditorStrings): Promise<RewriteUrls> {
  return (await loadPart(() => import('../text/rewrite-urls.ts'), strings)).rewriteUrls
}

/** Loads it ahead, so that a form can be sent though the server has been deployed anew since the page was opened. */
export function prefetchRewriteUrls(strings: EditorStrings): void {
  loadRewriteUrls(strings).catch(() => {}) // The submit tries once more, and tells.
}
