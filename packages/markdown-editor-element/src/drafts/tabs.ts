import type { DraftField } from './draft.ts'

type Message =
  | ({ readonly type: 'who' } & DraftField)
  | { readonly type: 'here'; readonly id: string }
  | { readonly type: 'clear'; readonly user: string | null }

/** An editor that answers other tabs of the site. */
export interface Listening {
  readonly field: DraftField
  /** The id of its draft. */
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

/** Tells all editors of a user, or of everybody, to keep nothing more. */
export function tellCleared(user: string | null): void {
  const channel = openChannel()
  channel?.postMessage({ type: 'clear', user } satisfies Message)
  channel?.close()
}

function openChannel(): BroadcastChannel | null {
  return typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel(NAME)
}
