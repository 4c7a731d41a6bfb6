import { withCsrfToken } from '../editor/csrf-token.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { canRetry } from '../editor/request-error.ts'
import { announceRequest, postText } from '../editor/requests.ts'
import { laterStrings } from '../i18n/later.ts'
import { messageOf } from '../i18n/load-part.ts'
import { UploadQueue } from '../uploads/upload-queue.ts'
import { type GuardedField, hasTemporaryFiles, needsPreparation } from './guarded-field.ts'
import { rewriteText, writeText } from './write-text.ts'

// Loaded with this file, so that a page that could load it can also finish its uploads.
export { UploadQueue }

// Limits the rounds for a script that changes the text each time. The server also finalizes on
// save.
const MOST_ROUNDS = 5

interface Settled {
  readonly context: EditorContext
  readonly queue: UploadQueue
}

/**
 * Makes the texts of a form ready to be sent: waits for their uploads, then makes temporary files
 * permanent. Files that the server no longer has (`missing`) do not hold the form back: the text
 * goes to the server as it is, which decides what to do about them.
 *
 * @param begun when that was asked for, by `performance.now()`: a file that was refused since then
 * stops it
 * @param again does it once more, for a retry
 * @returns false when it could not, and the user has been told why
 * @throws Error with a message for the user when a part of the page cannot be loaded
 */
export async function prepareFields(
  fields: readonly GuardedField[],
  begun: number,
  again: () => void,
): Promise<boolean> {
  let open = fields
  for (let round = 0; open.length > 0 && round < MOST_ROUNDS; round++) {
    const changed = await prepareOnce(open, begun, again)
    if (changed === null) return false
    open = open.filter((field) => changed.includes(field.context) && needsPreparation(field))
  }
  return true
}

/** The editors whose text was changed meanwhile; null when they could not be made ready. */
async function prepareOnce(
  fields: readonly GuardedField[],
  begun: number,
  again: () => void,
): Promise<readonly EditorContext[] | null> {
  const contexts = fields.map(({ context }) => context)
  const cleared = (): void => {
    for (const { notice } of contexts) notice.clear()
  }
  const settled = await Promise.all(fields.map(settle))
  cleared()
  const complete = settled.map((each) => completeText(each, begun, again))
  if (!complete.every(Boolean)) return null
  const cancelling = new AbortController()
  const temporary = contexts.filter(hasTemporaryFiles)
  for (const { notice, strings } of temporary) {
    const { cancel, finalizing } = laterStrings(strings)
    notice.show(finalizing, { label: cancel, run: () => cancelling.abort() })
  }
  try {
    const changed = await Promise.all(
      temporary.map((context) => finalize(context, cancelling.signal)),
    )
    cleared()
    return temporary.filter((_, index) => changed[index])
  } catch (error) {
    cleared()
    const [first] = contexts
    if (first === undefined || first.signal.aborted || cancelling.signal.aborted) return null
    const { finalizeFailed, retry } = laterStrings(first.strings)
    first.notice.fail(
      finalizeFailed(messageOf(error)),
      canRetry(error) ? { label: retry, run: again } : null,
    )
    return null
  }
}

/**
 * Makes the temporary files of an editor permanent, and writes the permanent URLs into its text.
 *
 * @returns true if the text was changed during the request
 * @throws RequestError with a message for the user, or the signal's reason when it was aborted
 */
async function finalize(context: EditorContext, signal: AbortSignal): Promise<boolean> {
  const url = context.attribute('finalize-url')
  const text = context.textarea.value
  const { replacements } = await withCsrfToken(context, url, signal, (token) =>
    postText(announceRequest(context, 'finalize', url, token, signal), text),
  )
  const isChanged = context.surface.read().text !== text
  rewriteText(context, replacements)
  return isChanged
}

/**
 * Takes the last placeholders out of a text. False when it has places without a file, and the user
 * has been told.
 */
function completeText({ context, queue }: Settled, begun: number, again: () => void): boolean {
  const { notice, signal, strings, surface } = context
  if (signal.aborted) return false
  const { text } = surface.read()
  const failed = queue.hasFailed(text)
  if (!failed && queue.refusedAt < begun) {
    writeText(context, queue.complete(text))
    surface.flush()
    return true
  }
  const { retry, sendWithout, uploadStopsForm } = laterStrings(strings)
  const without = (): void => void queue.dropAll().then(again)
  const tryAgain = (): void => {
    queue.retryAll()
    again()
  }
  notice.fail(uploadStopsForm, failed ? { label: retry, run: tryAgain } : null, {
    label: sendWithout,
    run: without,
  })
  return false
}

/**
 * Waits until no file of an editor is on its way; says so meanwhile, and offers to go on without
 * them.
 */
async function settle({ context, uploads }: GuardedField): Promise<Settled> {
  const queue = await uploads.load()
  if (!queue.busy) return { context, queue }
  const { notice, strings } = context
  const { sendWithout, waiting } = laterStrings(strings)
  notice.show(waiting, { label: sendWithout, run: () => void queue.dropAll() })
  await queue.settled()
  return { context, queue }
}
