import type { DraftField } from './draft.ts'
import { BrowserStore, noteClearing } from './store.ts'

// When a form of this tab was last sent, and when its page was left.
const SENT = 'md-editor:sent'
const LEFT = 'md-editor:left'

// The clocks of two pages may differ, in milliseconds.
const SLACK = 250

// Milliseconds after sending a form within which a browser starts to load the answer.
const PROMPT = 2000

/** When the browser started to load this page, in milliseconds since 1970. */
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
function promptlyAnsweredForm(): number | null {
  const sent = answeredForm()
  return sent !== null && arrival() <= sent + PROMPT ? sent : null
}

/** True for a page that is no answer to a form, reload, step in the history or server error. */
export function isOrdinary(): boolean {
  const { type, responseStatus } = navigation() ?? {}
  // The status is 0 or missing if the browser does not know it.
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

type Message =
  | ({ readonly type: 'who' } & DraftField)
  | { readonly type: 'here'; readonly id: string }
  | { readonly type: 'clear'; readonly user: string | null }

/** An editor that answers other tabs of the site. */
interface Listening {
  readonly field: DraftField
  id(): string
  /** Called when the drafts of this user were removed. */
  cleared(): void
}

const NAME = 'md-editor:drafts'

// In milliseconds. The draft of a tab that does not answer is offered.
const PATIENCE = 250

/** Answers other tabs until the signal ends it, or the page enters the back/forward cache. */
export function answerTabs(
  { field: { key, user }, id, cleared }: Listening,
  signal: AbortSignal,
): void {
  const open = (): void => {
    const channel = openChannel()
    if (channel === null) return
    channel.onmessage = ({ data }: MessageEvent<Message>) => {
      if (data.type === 'who' && data.key === key && data.user === user) {
        channel.postMessage({ type: 'here', id: id() } satisfies Message)
      } else if (data.type === 'clear' && (data.user === null || data.user === user)) {
        cleared()
      }
    }
    const close = (): void => channel.close()
    // An open channel would keep the page from being put aside for a step back.
    window.addEventListener('pagehide', close, { once: true, signal })
    signal.addEventListener('abort', close)
  }
  open()
  window.addEventListener('pageshow', ({ persisted }) => persisted && open(), { signal })
}

/** The drafts that others are writing in a field. */
export async function askTabs({ key, user }: DraftField): Promise<Set<string>> {
  const alive = new Set<string>()
  const channel = openChannel()
  if (channel === null) return alive
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.type === 'here') alive.add(data.id)
  }
  channel.postMessage({ type: 'who', key, user } satisfies Message)
  await new Promise((resolve) => setTimeout(resolve, PATIENCE))
  channel.close()
  return alive
}

function tellCleared(user: string | null): void {
  const channel = openChannel()
  channel?.postMessage({ type: 'clear', user } satisfies Message)
  channel?.close()
}

function openChannel(): BroadcastChannel | null {
  return typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel(NAME)
}

const CLEARS = '[data-md-editor-clear-drafts]'
const SAVED = 'meta[name=md-editor-saved]'

/** Removes the drafts of a user, or of everybody for null, here and in open tabs. */
export async function clearDrafts(user: string | null): Promise<void> {
  const clearing = { user, time: Date.now() }
  // First, because the page may be unloaded before the rest. The next page then completes it.
  noteClearing(clearing)
  tellCleared(user)
  await new BrowserStore().clear(clearing)
}

let watching = false

/** Clears drafts where the user signs out, and drops those that the server has saved. */
export async function watchPage(): Promise<void> {
  if (watching) return
  watching = true
  // At the window, after the page's own listeners, which may prevent it.
  const clear = (event: Event): void => {
    const { target, type } = event
    if (event.defaultPrevented || !(target instanceof Element)) return
    const clears =
      type === 'submit'
        ? target.matches(CLEARS)
        : target.closest(`a${CLEARS}, button${CLEARS}`) !== null
    if (clears) void clearDrafts(null)
  }
  for (const type of ['submit', 'click']) window.addEventListener(type, clear)
  await dropSaved()
}

/** Drops the drafts of the keys that the page names in a `<meta>`: the server has saved them. */
export async function dropSaved(store: BrowserStore = new BrowserStore()): Promise<void> {
  const sent = promptlyAnsweredForm()
  const keys = document.querySelector<HTMLMetaElement>(SAVED)?.content.split(/\s+/) ?? []
  if (sent !== null) for (const key of keys) await store.removeSent(key, sent)
}
