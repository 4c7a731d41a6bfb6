import type { EditorContext } from '../editor-context.ts'
import { messageOf } from '../load-part.ts'
import { canRetry } from '../requests/request-error.ts'
import { laterStrings } from '../strings/later.ts'
import type { UploadQueue } from '../uploads/upload-queue.ts'
import { finalizeTexts } from './finalize-texts.ts'
import { type GuardedField, hasTemporaryFiles } from './guarded-field.ts'
import { writeText } from './write-text.ts'

/**
 * Makes the texts of a form ready to be sent: waits for their uploads, then makes temporary files permanent. Files that the
 * server no longer has (`missing`) do not hold the form back: the text goes to the server as it is, which decides what to do
 * about them.
 *
 * @param begun when that was asked for, by `performance.now()`: a file that was refused since then stops it
 * @param again does it once more, for a retry
 * @returns false when it could not, and the user has been told why
 * @throws Error with a message for the user when a part of the page cannot be loaded
 */
export async function prepareFields(
  fields: readonly GuardedField[],
  begun: number,
  again: () => void,
): Promise<boolean> {
  const settled = await Promise.all(fields.map((field) => settleUploads(field, begun, again)))
  const contexts = fields.map(({ context }) => context)
  const cleared = (): void => {
    for (const { notice } of contexts) notice.clear()
  }
  if (!settled.every(Boolean)) {
    for (const [index, { notice }] of contexts.entries()) if (settled[index]) notice.clear()
    return false
  }
  const cancelling = new AbortController()
  const temporary = contexts.filter(hasTemporaryFiles)
  for (const { notice, strings } of temporary) {
    const { cancel, finalizing } = laterStrings(strings)
    notice.show(finalizing, { label: cancel, run: () => cancelling.abort() })
  }
  try {
    await finalizeTexts(temporary, cancelling.signal)
  } catch (error) {
    cleared()
    const [first] = contexts
    if (first === undefined || first.signal.aborted || cancelling.signal.aborted) return false
    const { finalizeFailed, retry } = laterStrings(first.strings)
    first.notice.fail(finalizeFailed(messageOf(error)), canRetry(error) ? { label: retry, run: again } : null)
    return false
  }
  cleared()
  return true
}

/** Waits until the files of an editor are there. False when some are not, and the user has been told. */
async function settleUploads({ context, uploads }: GuardedField, begun: number, again: () => void): Promise<boolean> {
  const { notice, signal, strings, surface } = context
  const { retry, sendWithout, uploadStopsForm } = laterStrings(strings)
  const queue = await uploads.load()
  const waits = new AbortController()
  if (queue.busy) showWaiting(context, queue, waits.signal)
  await queue.settled()
  waits.abort()
  if (signal.aborted) return false
  const failed = queue.hasFailed(surface.read().text)
  if (failed || queue.refusedAt >= begun) {
    const without = (): void => void queue.dropAll().then(again)
    const tryAgain = (): void => {
      queue.retryAll()
      again()
    }
    const retrying = failed ? { label: retry, run: tryAgain } : null
    notice.fail(uploadStopsForm, retrying, { label: sendWithout, run: without })
    return false
  }
  writeText(context, queue.complete(surface.read().text))
  surface.flush()
  return true
}

/** Says what the form waits for, and offers to go on without it. */
function showWaiting({ notice, strings }: EditorContext, queue: UploadQueue, signal: AbortSignal): void {
  const { sendWithout, waiting, waitingOffline } = laterStrings(strings)
  const show = (): void => {
    const action = { label: sendWithout, run: () => void queue.dropAll() }
    notice.show(navigator.onLine ? waiting : waitingOffline, action)
  }
  show()
  for (const name of ['online', 'offline']) window.addEventListener(name, show, { signal })
}
