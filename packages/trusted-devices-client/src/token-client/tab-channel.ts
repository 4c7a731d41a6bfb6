import { type KeptAccess, parseAccess } from './access-token.ts'
import type { TokenPlatform } from './platform.ts'

/** What tabs tell each other. The refresh token is not among it. */
export type TabMessage =
  | { readonly kind: 'access'; readonly access: KeptAccess }
  | { readonly kind: 'signed_out'; readonly login: string; readonly reason: string }
  | { readonly kind: 'pause'; readonly until: number }

/** Tells other tabs, and hears of them. */
export interface TabChannel {
  tell(message: TabMessage): void
  close(): void
}

/** Opens the channel; without one, tabs find everything out by themselves. */
export function openTabChannel(
  { openChannel }: TokenPlatform,
  name: string,
  onMessage: (message: TabMessage) => void,
): TabChannel {
  if (openChannel === null) return { tell() {}, close() {} }
  const channel = openChannel(name)
  channel.onmessage = ({ data }: MessageEvent) => {
    // Every script of this origin may write here, an older version of this one too.
    if (isMessage(data)) onMessage(data)
  }
  return { tell: (message) => channel.postMessage(message), close: () => channel.close() }
}

function isMessage(data: unknown): data is TabMessage {
  if (typeof data !== 'object' || data === null) return false
  const { kind, access, login, reason, until } = data as Record<string, unknown>
  if (kind === 'access') return parseAccess(access) !== null
  if (kind === 'signed_out') return typeof login === 'string' && typeof reason === 'string'
  return kind === 'pause' && typeof until === 'number'
}
