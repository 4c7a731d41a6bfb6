import { withCsrfToken } from '../editor/csrf-token.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { RequestError } from '../editor/request-error.ts'
import { announceRequest, postTexts } from '../editor/requests.ts'
import { rewriteText } from './write-text.ts'

/** Editors with the texts that were sent for them. */
type Texts = ReadonlyMap<EditorContext, string>

/**
 * Makes the temporary files of editors permanent, with one request per `finalize-url`, and writes
 * the permanent URLs into their texts.
 *
 * @returns the editors whose text was changed by a script during the request
 * @throws RequestError with a message for the user, or the signal's reason when it was aborted
 */
export async function finalizeTexts(
  contexts: readonly EditorContext[],
  signal: AbortSignal,
): Promise<EditorContext[]> {
  const groups = Map.groupBy(contexts, (context) => context.attribute('finalize-url'))
  const changed = await Promise.all(
    [...groups].map(([url, group]) => finalizeGroup(url, group, signal)),
  )
  return changed.flat()
}

async function finalizeGroup(
  url: string,
  group: readonly EditorContext[],
  signal: AbortSignal,
): Promise<EditorContext[]> {
  const texts: Texts = new Map(group.map((context) => [context, context.textarea.value]))
  const unlock = group.map(({ textarea }) => lockField(textarea))
  let replacements: Readonly<Record<string, string>>
  try {
    replacements = await askFor(url, texts, signal)
  } finally {
    for (const each of unlock) each()
  }
  const changed = group.filter((context) => context.surface.read().text !== texts.get(context))
  for (const context of group) rewriteText(context, replacements)
  return changed
}

/** The permanent URLs of the files of several texts. */
async function askFor(
  url: string,
  texts: Texts,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  try {
    return await post(url, texts, signal)
  } catch (error) {
    // A server that knows only one text, or for which they are too long together.
    const separable =
      error instanceof RequestError && (error.status === 400 || error.status === 413)
    if (texts.size === 1 || !separable) throw error
  }
  const answers = await Promise.all([...texts].map((each) => post(url, new Map([each]), signal)))
  return Object.assign({}, ...answers)
}

async function post(
  url: string,
  texts: Texts,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const contexts = [...texts.keys()]
  const [first] = contexts
  if (first === undefined) return {}
  // The token may be renewed where one of them says whose page it is.
  const marked = contexts.find((context) => context.attribute('draft-user') !== '') ?? first
  const { replacements } = await withCsrfToken(marked, url, signal, (token) =>
    postTexts(announceRequest(first, 'finalize', url, token, signal), [...texts.values()]),
  )
  return replacements
}

interface Locks {
  count: number
  /** Whether the field was read-only without them. */
  readonly before: boolean
}

const fields = new WeakMap<HTMLTextAreaElement, Locks>()

/**
 * Makes a field read-only.
 *
 * @returns ends that: the last of all who asked for it leaves the field as it was found
 */
function lockField(textarea: HTMLTextAreaElement): () => void {
  const locks = fields.get(textarea) ?? { count: 0, before: textarea.readOnly }
  fields.set(textarea, locks)
  locks.count++
  textarea.readOnly = true
  return () => {
    locks.count--
    if (locks.count > 0) return
    fields.delete(textarea)
    textarea.readOnly = locks.before
  }
}
