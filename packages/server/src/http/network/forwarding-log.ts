import { type Logger, logOnce } from '../../core/logger.ts'
import type { IncomingRequest } from '../context.ts'
import { isPrivateAddress, type ParsedAddress } from './address.ts'
import type { Walk } from './forwarded.ts'

/** The reason why the address of a client is not known, or why a forwarding header is ignored. */
export type IgnoredForwarding =
  | { readonly kind: 'no-address' }
  | { readonly kind: 'unix' }
  /** A header came from an address that is not trusted. */
  | { readonly kind: 'untrusted'; readonly address: ParsedAddress }
  /** A trusted proxy sent only the header that is not read. */
  | { readonly kind: 'other-header' }
  /** A trusted proxy at a private address or a Unix socket sent no address that can be read. */
  | { readonly kind: 'no-header' }

const HEADERS = ['x-forwarded-for', 'forwarded', 'x-forwarded-proto', 'x-forwarded-host'] as const

/** Returns what is missing or ignored of a request, or null if nothing is. */
export function ignoredForwarding(
  context: IncomingRequest,
  walked: Walk,
): IgnoredForwarding | null {
  const { client, hops, trusted, header } = walked
  if (trusted === 0) {
    if (isUnixSocket(context)) return { kind: 'unix' }
    if (!client) return { kind: 'no-address' }
    return sentHeader(context.request) ? { kind: 'untrusted', address: client } : null
  }
  const { headers } = context.request
  if (!headers.has(header) && headers.has(otherHeader(walked))) return { kind: 'other-header' }
  // A public address may be that of a client, also if Express trusts everybody.
  if (client !== null && !isPrivateAddress(client)) return null
  // The entry at which the walk ends. A `Forwarded` header with a wrong syntax has no entries: any
  // client can send one.
  const end = hops[trusted - 1]
  if (!headers.has(header) || end?.address === null) return { kind: 'no-header' }
  // There is a further proxy. To the left of a public address, clients write what they like.
  return client !== null && end && hops.length > trusted
    ? { kind: 'untrusted', address: client }
    : null
}

/** True if an adapter says that a request came through a Unix socket, which has no address. */
export function isUnixSocket({ address }: IncomingRequest): boolean {
  return address === 'unix' || address?.startsWith('unix:') === true
}

/**
 * True if many clients share the address at which a walk ended. A public address may be that of a
 * client. Without an address, a request of `node:http` that came through no Unix socket is of a
 * client that has closed the connection.
 */
export function isShared(
  context: IncomingRequest,
  { client }: Walk,
  ignored: IgnoredForwarding | null,
): boolean {
  if (client === null) return context.native === undefined || isUnixSocket(context)
  return ignored?.kind === 'untrusted' ? isPrivateAddress(ignored.address) : ignored !== null
}

/**
 * Creates a function that logs each kind once, with the option to add. Any client can send these
 * headers.
 */
export function createForwardingLog(
  logger: Pick<Logger, 'warn'> | undefined,
): (ignored: IgnoredForwarding | null, context: IncomingRequest, walked: Walk) => void {
  const log = logOnce(logger)
  return (ignored, context, walked) => {
    if (!ignored) return
    // A connection that its client has just closed has no address either.
    if (ignored.kind === 'no-address' && context.native !== undefined) return
    log(messageOf(ignored, context.request, walked), ignored.kind)
  }
}

const RAISED = 'Until then, all clients share one limit per address, which is 20 times higher.'

function messageOf(ignored: IgnoredForwarding, request: Request, walked: Walk): string {
  if (ignored.kind === 'no-address') {
    const hint = sentHeader(request)
      ? ' If a proxy is in front, name it in trustedProxies too.'
      : ''
    return `A request has no client address. Pass that of the connection: fetch(request, { address }).${hint} ${RAISED}`
  }
  if (ignored.kind === 'unix') {
    return (
      "A request came through a Unix socket, so its client is unknown. If only your proxy can open the socket, add trustedProxies: ['unix'] " +
      `to the options, and let the proxy write ${shown(walked.header)}. ${RAISED}`
    )
  }
  if (ignored.kind === 'other-header') {
    const other = otherHeader(walked)
    return (
      `A trusted proxy sent ${shown(other)} but not ${shown(walked.header)}, so the header was ignored. ` +
      `If the proxy writes ${shown(other)}, add settings: { proxyHeader: '${other}' } to createQuillgate. ${RAISED}`
    )
  }
  if (ignored.kind === 'no-header') {
    const proxy = walked.client === null ? 'behind a Unix socket' : `at ${walked.client}`
    return (
      `The trusted proxy ${proxy} sent no address that can be read in ${shown(walked.header)}. ` +
      `Let the proxy write the address of the client there. ${RAISED}`
    )
  }
  const address = String(ignored.address)
  const end = isPrivateAddress(ignored.address) ? RAISED : 'Otherwise a client made the header up.'
  return (
    `${shown(sentHeader(request) ?? walked.header)} from ${address} was ignored, because this address is not a trusted proxy. ` +
    `If it is your proxy, add trustedProxies: ['${address}'] to the options. ${end}`
  )
}

function sentHeader({ headers }: Request): string | undefined {
  return HEADERS.find((name) => headers.has(name))
}

function otherHeader({ header }: Walk): string {
  return header === 'forwarded' ? 'x-forwarded-for' : 'forwarded'
}

/** `X-Forwarded-For` */
function shown(header: string): string {
  return header.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())
}
