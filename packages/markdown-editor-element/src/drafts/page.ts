import { clearDrafts, removeDrafts } from './store.ts'

// When a form of this tab was last sent, in `sessionStorage`.
const SENT = 'md-editor:sent'

// The clocks of two pages may differ, in milliseconds.
const SLACK = 250

// Milliseconds after sending a form within which a browser starts to load the answer.
const PROMPT = 2000

/** Notes that a form is being sent, so that the next page is known to be its answer. */
export function noteSent(time: number): void {
  try {
    sessionStorage.setItem(SENT, String(time))
  } catch {
    // There is no storage, and so there are no drafts.
  }
}

/** When the browser started to load this page, in milliseconds since 1970. */
function arrival(): number {
  return Date.now() - performance.now()
}

/**
 * Returns when the form was sent that this page answers, or null. The browser starts to load an
 * answer promptly, even if the server is slow. A page that was opened later is no answer.
 */
function answeredForm(): number | null {
  const sent = readSent()
  if (sent === null || navigation()?.type !== 'navigate') return null
  const delay = arrival() - sent
  return delay >= -SLACK && delay <= PROMPT ? sent : null
}

/** The arrival of a page that shows stored texts, or null as in {@link Opening.arrived}. */
export function ordinaryArrival(): number | null {
  const { type, responseStatus } = navigation() ?? {}
  // The status is 0 or missing if the browser does not know it.
  const isOrdinary = type === 'navigate' && (responseStatus || 200) < 400
  return isOrdinary && answeredForm() === null ? arrival() : null
}

function navigation(): PerformanceNavigationTiming | undefined {
  return performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming | undefined
}

function readSent(): number | null {
  try {
    return Number(sessionStorage.getItem(SENT)) || null
  } catch {
    return null
  }
}

const CLEARS = '[data-md-editor-clear-drafts]'
const SAVED = 'meta[name=md-editor-saved]'

let watching = false

/** Clears drafts where the user signs out, and drops those that the server has saved. */
export function watchPage(): void {
  if (watching) return
  watching = true
  // Listens at the window, after listeners of the page, which may prevent the event.
  const clear = (event: Event): void => {
    const { target, type } = event
    if (event.defaultPrevented || !(target instanceof Element)) return
    const clears =
      type === 'submit'
        ? target.matches(CLEARS)
        : target.closest(`a${CLEARS}, button${CLEARS}`) !== null
    if (clears) clearDrafts(null)
  }
  for (const type of ['submit', 'click']) window.addEventListener(type, clear)
  dropSaved()
}

/** Drops the drafts of the keys that the page names in a `<meta>`: the server has saved them. */
export function dropSaved(): void {
  const time = answeredForm()
  const keys = document.querySelector<HTMLMetaElement>(SAVED)?.content.split(/\s+/) ?? []
  if (time === null || keys.length === 0) return
  removeDrafts(({ key, sent }) => {
    return keys.includes(key) && sent !== null && Math.abs(sent - time) < 1000
  })
}
