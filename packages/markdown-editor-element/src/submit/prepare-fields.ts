import type { EditorContext } from '../editor/editor-context.ts'
import { canRetry } from '../editor/request-error.ts'
import { laterStrings } from '../i18n/later.ts'
import { messageOf } from '../i18n/load-part.ts'
import { UploadQueue } from '../uploads/upload-queue.ts'
import { finalizeTexts } from './finalize-texts.ts'
import { type GuardedField, hasTemporaryFiles, needsPreparation } from './guarded-field.ts'
import { writeText } from './write-text.ts'

// Loaded with this file, so that a page that could load it can also finish its uploads.
export { UploadQueue }

/** Some editors that are being made ready. */
interface Run {
  /** False when that could not be. */
  readonly done: Promise<boolean>
  /** Called by a retry. */
  readonly again: Set<() => void>
}

const runs = new WeakMap<EditorContext, Run>()

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
 * goes to the server as it is, which decides what to do about them. Texts that are being made ready
 * already, by a script or another form, are waited for.
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
  const others = new Set(fields.flatMap(({ context }) => runs.get(context) ?? []))
  const rest = fields.filter(({ context }) => !runs.has(context))
  if (others.size > 0) {
    for (const other of others) other.again.add(again)
    const done = await Promise.all([...others].map((other) => other.done))
    return done.every(Boolean) && (await prepareFields(rest, begun, again))
  }
  if (rest.length === 0) return true
  const all = new Set([again])
  const retry = (): void => {
    for (const each of all) each()
  }
  const run: Run = { done: prepareAll(rest, begun, retry), again: all }
  for (const { context } of rest) runs.set(context, run)
  try {
    return await run.done
  } finally {
    for (const { context } of rest) runs.delete(context)
  }
}

/** Repeats while a script changes a text during the request. */
async function prepareAll(
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
    const changed = await finalizeTexts(temporary, cancelling.signal)
    cleared()
    return changed
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
  const { sendWithout, waiting, waitingOffline } = laterStrings(strings)
  const show = (): void => {
    const action = { label: sendWithout, run: () => void queue.dropAll() }
    notice.show(navigator.onLine ? waiting : waitingOffline, action)
  }
  show()
  const waits = new AbortController()
  for (const name of ['online', 'offline'])
    window.addEventListener(name, show, { signal: waits.signal })
  await queue.settled()
  waits.abort()
  return { context, queue }
}
