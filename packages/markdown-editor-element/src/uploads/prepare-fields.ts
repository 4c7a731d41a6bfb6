import { findRewrites } from '@quillgate/markdown/media-urls'
import { applyEdit, type Edit, editBetween, spliced } from '../commands/edit.ts'
import { activeElementOf, writeValue } from '../dom/elements.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import type { NoticeAction } from '../editor/notice.ts'
import { canRetry } from '../editor/request-error.ts'
import { postText } from '../editor/requests.ts'
import { lazyStrings } from '../i18n/en-lazy.ts'
import { messageOf } from '../i18n/load-part.ts'
import { hasTemporaryFiles, needsPreparation } from './needs-preparation.ts'
import { UploadQueue } from './upload-queue.ts'
import type { UploadingEditor } from './uploads.ts'

// Exported from this file, so that a page loads the queue together with the functions below.
export { UploadQueue }

// Scripts may change a text in each attempt. The server finalizes the last text when it is saved.
const MAX_ATTEMPTS = 5

/** Prepares the texts of the editors `first`, then of those that need it in the meantime. */
export async function prepareFields(
  first: readonly UploadingEditor[],
  editors: () => readonly UploadingEditor[],
  again: () => void,
): Promise<boolean> {
  const ready = new Set<UploadingEditor>()
  let open = first
  for (let attempt = 0; attempt < MAX_ATTEMPTS && open.length > 0; attempt++) {
    const finished = await finalizeFields(open, again)
    if (finished === null) return false
    for (const each of finished) ready.add(each)
    // Includes editors that were ready if files have been added to them in the meantime.
    open = editors().filter(
      (each) => (!ready.has(each) || each.uploads.pending) && needsPreparation(each),
    )
  }
  return open.length === 0 || !editors().some(({ uploads }) => uploads.pending)
}

/**
 * Finalizes the texts of editors after their uploads. Returns the editors whose text did not change
 * meanwhile, or null after a cancellation or a failure. Missing files do not stop the form.
 */
async function finalizeFields(
  editors: readonly UploadingEditor[],
  again: () => void,
): Promise<readonly UploadingEditor[] | null> {
  const clearNotices = (): void => {
    for (const { notice } of editors) notice.clear()
  }
  const cancelling = new AbortController()
  const idle = await Promise.all(
    editors.map(async (editor) => ({ editor, queue: await waitForUploads(editor, cancelling) })),
  )
  clearNotices()
  if (cancelling.signal.aborted) return null
  const complete = idle.map(({ editor, queue }) => completeText(editor, queue, again))
  if (!complete.every(Boolean)) return null
  // Editors with a `draft-user` come first, because only they can renew an expired CSRF token.
  const temporary = editors
    .filter(hasTemporaryFiles)
    .toSorted((one, other) => Number(canRenew(other)) - Number(canRenew(one)))
  for (const editor of temporary) {
    const { finalizing } = lazyStrings(editor.strings)
    editor.notice.show(finalizing, cancelAction(editor, cancelling))
  }
  try {
    const open = new Set<UploadingEditor>()
    // One after the other, so that the first editor renews the token for the others.
    for (const editor of temporary) if (await finalize(editor, cancelling.signal)) open.add(editor)
    clearNotices()
    return editors.filter((editor) => !open.has(editor))
  } catch (error) {
    clearNotices()
    const [first] = editors
    if (first === undefined || first.signal.aborted || cancelling.signal.aborted) return null
    const { finalizeFailed, retry } = lazyStrings(first.strings)
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

/** Finalizes the text of an editor. Returns true if the text changed during the request. */
async function finalize(context: EditorContext, signal: AbortSignal): Promise<boolean> {
  const text = context.textarea.value
  const replacements = await postText(context, text, signal)
  const isChanged = context.surface.read().text !== text
  rewriteText(context, replacements)
  return isChanged
}

/** Fills placeholders. If an upload failed or was rejected, asks the user and returns false. */
function completeText(context: EditorContext, queue: UploadQueue, again: () => void): boolean {
  const { notice, signal, strings, surface } = context
  if (signal.aborted) return false
  const { text } = surface.read()
  const failed = queue.hasFailed(text)
  if (!failed && !queue.hasRefused) {
    writeText(context, queue.complete(text))
    surface.flush()
    return true
  }
  const { retry, sendWithout, uploadStopsForm } = lazyStrings(strings)
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

/** A notice offers to send the form without the uploads, or not to send it. */
async function waitForUploads(
  editor: UploadingEditor,
  cancelling: AbortController,
): Promise<UploadQueue> {
  const queue = await editor.uploads.load()
  if (queue.busy) {
    const { sendWithout, waiting } = lazyStrings(editor.strings)
    const without = { label: sendWithout, run: () => queue.dropAll() }
    editor.notice.show(waiting, without, cancelAction(editor, cancelling))
    await queue.whenIdle(cancelling.signal)
  }
  return queue
}

/** Creates the button that stops the submit. Uploads continue, and the user can edit the text. */
function cancelAction({ strings, surface }: EditorContext, abort: AbortController): NoticeAction {
  const run = (): void => {
    abort.abort()
    surface.focus()
  }
  return { label: lazyStrings(strings).dontSend, run }
}

/** Replaces the text of an editor as one undo step, and keeps the selection as far as possible. */
function writeText(context: EditorContext, text: string): void {
  const state = context.surface.read()
  const within = (offset: number): number => Math.min(offset, text.length)
  const selection = {
    selectionStart: within(state.selectionStart),
    selectionEnd: within(state.selectionEnd),
  }
  write(context, editBetween(state, { text, ...selection }))
}

/** Replaces URLs everywhere in the text, even in code, but not a part of a longer URL. */
function rewriteText(context: EditorContext, replacements: Readonly<Record<string, string>>): void {
  const state = context.surface.read()
  const rewrites = findRewrites(state.text, new Map(Object.entries(replacements)))
  const splices = rewrites.map(({ start, end, replacement }) => ({
    at: start,
    removed: end - start,
    added: replacement,
  }))
  write(context, spliced(state, splices))
}

function write(context: EditorContext, edit: Edit | null): void {
  if (edit === null) return
  const { surface, textarea } = context
  const { text } = applyEdit(surface.read(), edit)
  const active = activeElementOf(textarea)
  // The browser adds an undo step only while the field has the focus. So the focus moves from a
  // button to the field during the edit, unless this would open an on-screen keyboard.
  const lends = active instanceof HTMLButtonElement && matchMedia('(pointer: fine)').matches
  if (lends) surface.focus({ preventScroll: true })
  const done = context.edit(edit, false)
  if (lends) active.focus({ preventScroll: true })
  if (!done) {
    // The field is read-only, or `maxlength` was exceeded. Both limits apply only to users.
    writeValue(textarea, text)
    surface.takeOver()
  }
  surface.flush()
}
