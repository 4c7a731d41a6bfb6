import { trustHtml } from '../dom/trusted-types.ts'
import { RequestError } from './request-error.ts'

const FIELD = 'input[name="csrf_token"]'
const META = 'meta[name="csrf-token"]'

/** The CSRF token for an editor: from its form's field `csrf_token`, or from `<meta name="csrf-token">`. */
export function csrfToken(form: HTMLFormElement | null): string | null {
  const field = form?.elements.namedItem('csrf_token')
  if (field instanceof HTMLInputElement && field.value !== '') return field.value
  return document.querySelector<HTMLMetaElement>(META)?.content || null
}

/**
 * Sends a request with the CSRF token. When the server refuses the token, as after a sign-in in another tab, it gets a
 * new one from the same page, writes it into the form, and sends once more.
 */
export async function withCsrfToken<Result>(
  form: HTMLFormElement | null,
  signal: AbortSignal,
  send: (token: string | null) => Promise<Result>,
): Promise<Result> {
  const token = csrfToken(form)
  try {
    return await send(token)
  } catch (error) {
    if (!(error instanceof RequestError) || error.code !== 'csrf_failed') throw error
    if (csrfToken(form) === token && !(await renewToken(form, signal))) throw error
    return await send(csrfToken(form))
  }
}

/** Gets the token that this page has now into the form, or into the page's meta element. False when there is none. */
async function renewToken(form: HTMLFormElement | null, signal: AbortSignal): Promise<boolean> {
  const token = await tokenOfFreshPage(signal)
  const field = form?.elements.namedItem('csrf_token')
  const meta = document.querySelector<HTMLMetaElement>(META)
  if (token === '' || token === csrfToken(form)) return false
  if (field instanceof HTMLInputElement) field.value = token
  if (meta !== null) meta.content = token
  return csrfToken(form) === token
}

async function tokenOfFreshPage(signal: AbortSignal): Promise<string> {
  try {
    const response = await fetch(location.href, { headers: { accept: 'text/html' }, cache: 'no-store', signal })
    // A parsed document is inert: no script of it runs, and nothing of it gets into this page but the token.
    const page = new DOMParser().parseFromString(trustHtml(await response.text()), 'text/html')
    const field = page.querySelector<HTMLInputElement>(FIELD)?.value
    return field || page.querySelector<HTMLMetaElement>(META)?.content || ''
  } catch {
    signal.throwIfAborted()
    return '' // Then the refusal is what the user hears of.
  }
}
