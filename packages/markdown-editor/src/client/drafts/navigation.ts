import { isAnswer } from './judge.ts'

// When a form of this tab was last sent.
const SENT = 'md-editor:sent'

/** When the browser set out for this page, in milliseconds since 1970. */
export function arrival(): number {
  return Date.now() - performance.now()
}

/** Notes that a form is being sent, so that the next page is known to be its answer. */
export function noteSent(): void {
  try {
    sessionStorage.setItem(SENT, String(Date.now()))
  } catch {
    // There is no storage, and so there are no drafts.
  }
}

/** True when the page is neither an answer to a form, nor reloaded or come back to, nor an error of the server. */
export function isOrdinary(): boolean {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  if (navigation === undefined || navigation.type !== 'navigate' || isAnswer(lastSent(), arrival())) return false
  return (navigation.responseStatus || 200) < 400 // 0, or nothing, where the browser does not tell.
}

function lastSent(): number | null {
  try {
    return Number(sessionStorage.getItem(SENT)) || null
  } catch {
    return null
  }
}
