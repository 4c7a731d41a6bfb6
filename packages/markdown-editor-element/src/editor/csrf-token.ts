import { formMember } from '../dom/elements.ts'
import { trustHtml } from '../dom/trusted-types.ts'
import { lazyStrings } from '../i18n/en-lazy.ts'
import type { EditorContext } from './editor-context.ts'
import { RequestError } from './request-error.ts'

const META = 'meta[name="csrf-token"]'

/**
 * Calls `send` with the CSRF token of the page, or with null for a request to another origin. If
 * the server rejects the token, for example after a sign-in in another tab, loads the page again,
 * takes its token and calls `send` again. Does so only if `draft-user` is set and the loaded page
 * has an editor with the same `draft` and `draft-user`, so that no text is sent for another user.
 */
export async function withCsrfToken<Result>(
  context: EditorContext,
  url: string,
  signal: AbortSignal,
  send: (token: string | null) => Promise<Result>,
): Promise<Result> {
  if (URL.parse(url, document.baseURI)?.origin !== location.origin) return await send(null)
  const { form } = context.textarea
  const token = csrfToken(document, form)
  try {
    return await send(token)
  } catch (error) {
    if (!(error instanceof RequestError) || error.code !== 'csrf_failed') throw error
    if (csrfToken(document, form) === token) await renewToken(context, signal)
    const renewed = csrfToken(document, form)
    if (renewed !== token) return await send(renewed)
    if (token !== null) throw error
    const { status, code } = error
    throw new RequestError(lazyStrings(context.strings).notSetUp, { status, code })
  }
}

function csrfToken(page: Document, form: HTMLFormElement | null): string | null {
  return tokenField(form)?.value || page.querySelector<HTMLMetaElement>(META)?.content || null
}

function tokenField(form: HTMLFormElement | null): HTMLInputElement | null {
  const field = form && formMember(form, 'elements').namedItem('csrf_token')
  return field instanceof HTMLInputElement ? field : null
}

async function renewToken(context: EditorContext, signal: AbortSignal): Promise<void> {
  const token = await tokenOfFreshPage(context, signal)
  if (token === null) return
  const input = tokenField(context.textarea.form)
  const meta = document.querySelector<HTMLMetaElement>(META)
  if (input !== null) input.value = token
  if (meta !== null) meta.content = token
}

/** Returns null after a failure, or if the page has no editor with the same draft and user. */
async function tokenOfFreshPage(
  context: EditorContext,
  signal: AbortSignal,
): Promise<string | null> {
  if (context.attribute('draft-user') === '') return null
  try {
    // A redirect is an error, because it leads to another page, such as a sign-in page.
    const options: RequestInit = {
      headers: { accept: 'text/html' },
      cache: 'no-store',
      redirect: 'error',
      signal,
    }
    const response = await fetch(location.href, options)
    if (!response.ok) return null
    // A parsed document is inert: its scripts do not run, and only the token is read.
    const page = new DOMParser().parseFromString(trustHtml(await response.text()), 'text/html')
    const same = [...page.getElementsByTagName(context.host.localName)].find((editor) =>
      ['draft', 'draft-user'].every(
        (name) => (editor.getAttribute(name) ?? '') === context.attribute(name),
      ),
    )
    return same === undefined ? null : csrfToken(page, same.querySelector('textarea')?.form ?? null)
  } catch {
    signal.throwIfAborted()
    return null // The user sees the original error.
  }
}
