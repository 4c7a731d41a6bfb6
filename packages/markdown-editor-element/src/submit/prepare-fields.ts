import { findRewrites } from '@quillgate/markdown/media-urls'
import { type Edit, editBetween, spliced } from '../commands/edit.ts'
import { writeValue } from '../dom/elements.ts'
import { withCsrfToken } from '../editor/csrf-token.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { canRetry } from '../editor/request-error.ts'
import { announceRequest, postText } from '../editor/requests.ts'
import { laterStrings } from '../i18n/later.ts'
import { messageOf } from '../i18n/load-part.ts'
import { UploadQueue } from '../uploads/upload-queue.ts'
import { type GuardedField, hasTemporaryFiles } from './guarded-field.ts'

// Exported from this file, so that both are loaded together: a page that has one of them has both.
export { UploadQueue }

interface Settled {
  readonly context: EditorContext
  readonly queue: UploadQueue
  /** True if the server has rejected a file since the submit, and a retry cannot help. */
  readonly isRefused: boolean
}

/**
 * Prepares texts for a submit: waits for their uploads, then makes temporary files permanent. Files
 * that the server no longer has (`missing`) do not stop the form. Their URLs stay in the text, and
 * the server decides what to do about them.
 *
 * @param refusals the number of rejected files of each editor at the time of the submit
 * @param again starts the preparation again, for a retry
 * @returns the editors that are ready, without those whose text was changed meanwhile; null if the
 * preparation was cancelled, or failed with a notice for the user
 * @throws Error with a message for the user if a part of the page cannot be loaded
 */
export async function prepareFields(
  fields: readonly GuardedField[],
  refusals: readonly number[],
  again: () => void,
): Promise<readonly GuardedField[] | null> {
  const contexts = fields.map(({ context }) => context)
  const cleared = (): void => {
    for (const { notice } of contexts) notice.clear()
  }
  const settled = await Promise.all(
    fields.map((field, index) => settle(field, refusals[index] ?? 0)),
  )
  cleared()
  const complete = settled.map((each) => completeText(each, again))
  if (!complete.every(Boolean)) return null
  const cancelling = new AbortController()
  // Only an editor with a `draft-user` can renew an expired CSRF token.
  const temporary = contexts
    .filter(hasTemporaryFiles)
    .toSorted((one, other) => Number(canRenew(other)) - Number(canRenew(one)))
  for (const { notice, strings } of temporary) {
    const { cancel, finalizing } = laterStrings(strings)
    notice.show(finalizing, { label: cancel, run: () => cancelling.abort() })
  }
  try {
    const open = new Set<EditorContext>()
    // Finalizes one after the other, so that the first one renews the token for the others.
    for (const context of temporary)
      if (await finalize(context, cancelling.signal)) open.add(context)
    cleared()
    return fields.filter(({ context }) => !open.has(context))
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

function canRenew(context: EditorContext): boolean {
  return context.attribute('draft-user') !== ''
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
 * Completes the text after its uploads. If one has failed, asks the user what to do and returns
 * false.
 */
function completeText({ context, queue, isRefused }: Settled, again: () => void): boolean {
  const { notice, signal, strings, surface } = context
  if (signal.aborted) return false
  const { text } = surface.read()
  const failed = queue.hasFailed(text)
  if (!failed && !isRefused) {
    writeText(context, queue.complete(text))
    surface.flush()
    return true
  }
  const { retry, sendWithout, uploadStopsForm } = laterStrings(strings)
  const without = (): void => {
    queue.dropAll()
    again()
  }
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
 * Waits until all uploads of an editor have ended. Meanwhile, a notice offers to continue without
 * them.
 */
async function settle({ context, uploads }: GuardedField, refusals: number): Promise<Settled> {
  const queue = await uploads.load()
  if (queue.busy) {
    const { notice, strings } = context
    const { sendWithout, waiting } = laterStrings(strings)
    notice.show(waiting, { label: sendWithout, run: () => queue.dropAll() })
    await queue.settled()
  }
  return { context, queue, isRefused: queue.refusals > refusals }
}

/** Replaces the text of an editor as one undo step, and keeps the selection as far as possible. */
function writeText(context: EditorContext, text: string): void {
  const state = context.surface.read()
  const within = (offset: number): number => Math.min(offset, text.length)
  const selection = {
    selectionStart: within(state.selectionStart),
    selectionEnd: within(state.selectionEnd),
  }
  write(context, editBetween(state, { text, ...selection }), text)
}

/**
 * Replaces the URLs of media in a text as one undo step. Does not change the same characters in
 * other places, such as code.
 *
 * @param replacements maps each URL, spelled as in the text, to its replacement
 */
function rewriteText(context: EditorContext, replacements: Readonly<Record<string, string>>): void {
  const state = context.surface.read()
  const rewrites = findRewrites(state.text, new Map(Object.entries(replacements)))
  const splices = rewrites.map(({ start, end, replacement }) => ({
    at: start,
    removed: end - start,
    added: replacement,
  }))
  const edit = spliced(state, splices)
  const text = edit && state.text.slice(0, edit.start) + edit.insert + state.text.slice(edit.end)
  if (text !== null) write(context, edit, text)
}

function write(context: EditorContext, edit: Edit | null, text: string): void {
  if (edit === null) return
  const { surface, textarea } = context
  const active = document.activeElement
  // The browser adds an undo step only while the field has the focus. So if a button has the focus,
  // the field gets it for a moment, unless that would open an on-screen keyboard.
  const lends = active instanceof HTMLButtonElement && matchMedia('(pointer: fine)').matches
  if (lends) surface.focus({ preventScroll: true })
  const done = context.edit(edit, false)
  if (lends) active.focus({ preventScroll: true })
  if (!done) {
    // The edit was refused because of `maxlength`, which limits only what users write.
    writeValue(textarea, text)
    surface.takeOver()
  }
  surface.flush()
}
