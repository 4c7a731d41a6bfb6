import type { EditorContext } from '../editor-context.ts'
import { announceRequest } from '../requests/announce-request.ts'
import { withCsrfToken } from '../requests/csrf-token.ts'
import { postTexts } from '../requests/post-texts.ts'
import { RequestError } from '../requests/request-error.ts'
import { rewriteText } from './write-text.ts'

/**
 * Makes the temporary files of editors permanent, with one request for all that post to the same `finalize-url`, and
 * writes the permanent URLs into their texts.
 *
 * @throws RequestError with a message for the user, or the signal's reason when it was aborted
 */
export async function finalizeTexts(contexts: readonly EditorContext[], signal: AbortSignal): Promise<void> {
  const groups = Map.groupBy(contexts, (context) => context.attribute('finalize-url'))
  await Promise.all([...groups].map(([url, group]) => finalizeGroup(url, group, signal)))
}

async function finalizeGroup(url: string, group: readonly EditorContext[], signal: AbortSignal): Promise<void> {
  const locks = group.map(({ textarea }) => {
    const { readOnly } = textarea
    textarea.readOnly = true
    return { textarea, readOnly }
  })
  let replacements: Readonly<Record<string, string>>
  try {
    replacements = await askFor(url, group, signal)
  } finally {
    for (const { textarea, readOnly } of locks) textarea.readOnly = readOnly
  }
  for (const context of group) rewriteText(context, replacements)
}

/** The permanent URLs of the files of several texts. */
async function askFor(
  url: string,
  group: readonly EditorContext[],
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  try {
    return await post(url, group, signal)
  } catch (error) {
    // A server that knows only one text, or for which they are too long together.
    const separable = error instanceof RequestError && (error.status === 400 || error.status === 413)
    if (group.length === 1 || !separable) throw error
  }
  const answers = await Promise.all(group.map((context) => post(url, [context], signal)))
  return Object.assign({}, ...answers)
}

async function post(
  url: string,
  group: readonly EditorContext[],
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const [first] = group
  if (first === undefined) return {}
  const { replacements } = await withCsrfToken(first.textarea.form, signal, (token) => {
    const target = announceRequest(first, 'finalize', url, token, signal)
    const texts = group.map(({ textarea }) => textarea.value)
    return postTexts(target, texts)
  })
  return replacements
}
