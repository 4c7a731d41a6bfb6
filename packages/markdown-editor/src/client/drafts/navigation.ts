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

/** True when the page is the answer to a form of this tab. */
export function isFormAnswer(): boolean {
  return navigation()?.type === 'navigate' && isAnswer(lastSent(), arrival())
}

/** True when the page is neither an answer to a form, nor reloaded or come back to, nor an error of the server. */
export function isOrdinary(): boolean {
  const { type, responseStatus } = navigation() ?? {}
  // The status is 0, or nothing, where the browser does not tell.
  return type === 'navigate' && !isAnswer(lastSent(), arrival()) && (responseStatus || 200) < 400
}

function navigation(): PerformanceNavigationTiming | undefined {
  return performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming | undefined
}

function lastSent(): number | null {
  try {
    return Number(sessionStorage.getItem(SENT)) || null
  } catch {
    return null
  }
}
