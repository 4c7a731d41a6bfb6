// When a form of this tab was last sent, and when its page was left.
const SENT = 'md-editor:sent'
const LEFT = 'md-editor:left'

// Clocks of two pages may differ by so many milliseconds.
const SLACK = 250

// Milliseconds after sending a form within which a browser starts to load the answer.
const PROMPT = 2000

/** When the browser set out for this page, in milliseconds since 1970. */
export function arrival(): number {
  return Date.now() - performance.now()
}

/** Notes that a form is being sent, so that the next page is known to be its answer. */
export function noteSent(time: number): void {
  write(SENT, time)
}

/** Notes that the page from which a form was sent is left. */
export function noteLeft(): void {
  write(LEFT, Date.now())
}

/**
 * Returns when the form was sent that this page answers, or null. The browser started to load
 * the answer while the page with the form was open.
 */
export function answeredForm(): number | null {
  const sent = read(SENT)
  if (sent === null || navigation()?.type !== 'navigate') return null
  const left = read(LEFT) ?? 0
  const arrived = arrival()
  // A page that did not record its end has crashed. In that case, the answer is unknown.
  return arrived >= sent - SLACK && (arrived <= left || left < sent) ? sent : null
}

/** Like `answeredForm`, but null for a page that was opened later, instead of waiting. */
export function promptlyAnsweredForm(): number | null {
  const sent = answeredForm()
  return sent !== null && arrival() <= sent + PROMPT ? sent : null
}

/** True for a page that is no answer to a form, reload, step in the history or server error. */
export function isOrdinary(): boolean {
  const { type, responseStatus } = navigation() ?? {}
  // The status is 0, or nothing, where the browser does not tell.
  return type === 'navigate' && answeredForm() === null && (responseStatus || 200) < 400
}

function navigation(): PerformanceNavigationTiming | undefined {
  return performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming | undefined
}

function write(key: string, time: number): void {
  try {
    sessionStorage.setItem(key, String(time))
  } catch {
    // There is no storage, and so there are no drafts.
  }
}

function read(key: string): number | null {
  try {
    return Number(sessionStorage.getItem(key)) || null
  } catch {
    return null
  }
}
