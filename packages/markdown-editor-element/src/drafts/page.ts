import { attempt, clearDrafts, removeDrafts } from './store.ts'

// The key in `sessionStorage` for the time at which a form of this tab was last sent.
const SENT = 'md-editor:sent'

// The tolerated difference between the clocks of two pages, in milliseconds.
const SLACK = 250

// The maximum time between sending a form and the start of loading its answer, in milliseconds.
const PROMPT = 2000

/** Stores when a form was sent, so that the next page can detect that it is the answer. */
export function noteSent(time: number): void {
  attempt(() => sessionStorage.setItem(SENT, String(time)), undefined)
}

/** Returns when the browser started to load this page, in milliseconds since 1970. */
function arrival(): number {
  return Date.now() - performance.now()
}

/** If this page is the answer to a form, returns when the form was sent, otherwise null. */
function answeredForm(): number | null {
  const sent = attempt(() => Number(sessionStorage.getItem(SENT)) || null, null)
  if (sent === null || navigation()?.type !== 'navigate') return null
  const delay = arrival() - sent
  return delay >= -SLACK && delay <= PROMPT ? sent : null
}

/** Returns the value of {@link Opening.arrived} for this page. */
export function ordinaryArrival(): number | null {
  const { type, responseStatus } = navigation() ?? {}
  // The status is 0 or missing if the browser does not report it.
  const isOrdinary = type === 'navigate' && (responseStatus || 200) < 400
  return isOrdinary && answeredForm() === null ? arrival() : null
}

function navigation(): PerformanceNavigationTiming | undefined {
  return performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming | undefined
}

const CLEARS = '[data-md-editor-clear-drafts]'
const SAVED = 'meta[name=md-editor-saved]'

/** Clears all drafts when the user signs out, and removes drafts that the server has saved. */
export function watchPage(): void {
  // A listener on the window runs after the page's listeners, which may prevent the event.
  for (const type of ['submit', 'click']) window.addEventListener(type, clearOnSignOut)
  dropSaved()
}

function clearOnSignOut({ defaultPrevented, target, type }: Event): void {
  if (defaultPrevented || !(target instanceof Element)) return
  const clears = type === 'submit' ? `form${CLEARS}` : `a${CLEARS}, button${CLEARS}`
  // A form field named `closest` would hide the method of its form.
  if (Element.prototype.closest.call(target, clears) !== null) clearDrafts()
}

/** If this page is the answer to a form, removes those drafts of the form that a `<meta>` lists. */
function dropSaved(): void {
  const time = answeredForm()
  const keys = document.querySelector<HTMLMetaElement>(SAVED)?.content.split(/\s+/) ?? []
  if (time === null || keys.length === 0) return
  removeDrafts(({ key, sent }) => {
    return keys.includes(key) && sent !== null && Math.abs(sent - time) < 1000
  })
}
