import { type KeptAccess, parseAccess } from './access-token.ts'
import type { TokenPlatform } from './platform.ts'

/** Messages between tabs. They never contain the refresh token. */
export type TabMessage =
  | { readonly kind: 'access'; readonly access: KeptAccess }
  | { readonly kind: 'signed_out'; readonly login: string; readonly reason: string }
  | { readonly kind: 'pause'; readonly until: number }

/** Sends messages to the other tabs. */
export interface TabChannel {
  post(message: TabMessage): void
  close(): void
}

/**
 * Opens the channel to the other tabs.
 *
 * @param onMessage called with each valid message of another tab
 */
export function openTabChannel(
  { openChannel }: TokenPlatform,
  name: string,
  onMessage: (message: TabMessage) => void,
): TabChannel {
  const channel = openChannel(name)
  channel.onmessage = ({ data }: MessageEvent) => {
    // Any script of this origin can send messages, including an older version of this script.
    if (isMessage(data)) onMessage(data)
  }
  return { post: (message) => channel.postMessage(message), close: () => channel.close() }
}

function isMessage(data: unknown): data is TabMessage {
  if (typeof data !== 'object' || data === null) return false
  const { kind, access, login, reason, until } = data as Record<string, unknown>
  if (kind === 'access') return parseAccess(access) !== null
  if (kind === 'signed_out') return typeof login === 'string' && typeof reason === 'string'
  return kind === 'pause' && typeof until === 'number'
}
