/** Why a paused upload waits: there is no connection, or the server named a number of seconds. */
export type Pause =
  | { readonly kind: 'offline' }
  | { readonly kind: 'busy'; readonly seconds: number }

/**
 * The state of an upload. `queued` uploads wait until fewer files are being sent; `failed` ones
 * keep their placeholder and can be retried; `settled` ones have replaced it by `content`, which is
 * `''` if the file was refused or removed.
 */
export type UploadState =
  | { readonly kind: 'queued' }
  | { readonly kind: 'sending'; readonly abort: AbortController }
  | { readonly kind: 'paused'; readonly pause: Pause }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'settled'; readonly content: string }

/** True for each pair of states that may follow one another. */
export function mayFollow(state: UploadState, next: UploadState): boolean {
  return FOLLOWING[state.kind].includes(next.kind)
}

// A failed upload may fail again because the user can choose another file that is not accepted.
const FOLLOWING: Readonly<Record<UploadState['kind'], readonly UploadState['kind'][]>> = {
  queued: ['sending', 'settled'],
  sending: ['paused', 'failed', 'settled'],
  paused: ['queued', 'settled'],
  failed: ['queued', 'failed', 'settled'],
  settled: [],
}

/** True while an upload continues without the user. */
export function isBusy({ kind }: UploadState): boolean {
  return kind === 'queued' || kind === 'sending' || kind === 'paused'
}

const MOST_AT_ONCE = 3

/** The queued uploads that can be sent now, in order. */
export function nextToSend<Upload extends { readonly state: UploadState }>(
  uploads: Iterable<Upload>,
): readonly Upload[] {
  const all = [...uploads]
  const sending = all.filter(({ state }) => state.kind === 'sending').length
  const queued = all.filter(({ state }) => state.kind === 'queued')
  return queued.slice(0, Math.max(0, MOST_AT_ONCE - sending))
}
