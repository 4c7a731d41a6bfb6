import type { IncomingRequest } from '../context.ts'
import { isPrivateAddress, type ParsedAddress } from './address.ts'
import type { Walk } from './forwarded.ts'

/** The reason why the address of a client is not known, or why a forwarding header is ignored. */
export interface IgnoredForwarding {
  readonly kind: 'no-address' | 'unix' | 'untrusted' | 'other-header' | 'no-header'
  /** Whether many clients share the address at which the walk ended. */
  readonly isShared: boolean
  /** The warning for the log, with the option to add. */
  readonly message: string | null
}

const HEADERS = ['x-forwarded-for', 'forwarded', 'x-forwarded-proto', 'x-forwarded-host'] as const

const RAISED = 'Until then, all clients share one limit per address, which is 20 times higher.'

/** Returns what is missing or ignored of a request, or null if nothing is. */
export function ignoredForwarding(
  context: IncomingRequest,
  walked: Walk,
): IgnoredForwarding | null {
  const { request } = context
  const { client, hops, trusted, header } = walked
  const sent = HEADERS.find((name) => request.headers.has(name))
  if (trusted === 0) {
    if (isUnixSocket(context)) return shared('unix', unixMessage(header))
    if (!client) return noAddress(context, sent)
    return sent ? untrusted(client, sent) : null
  }
  const other = header === 'forwarded' ? 'x-forwarded-for' : 'forwarded'
  const isMissing = !request.headers.has(header)
  if (isMissing && request.headers.has(other))
    return shared('other-header', otherHeaderMessage(header, other))
  // A public address may be that of a client, also if Express trusts everybody.
  if (client !== null && !isPrivateAddress(client)) return null
  // The entry at which the walk ends. A `Forwarded` header with a wrong syntax has no entries: any
  // client can send one.
  const end = hops[trusted - 1]
  if (isMissing || end?.address === null)
    return shared('no-header', noHeaderMessage(header, client))
  // There is a further proxy. To the left of a public address, clients write what they like.
  return client !== null && end && hops.length > trusted ? untrusted(client, sent ?? header) : null
}

/** True if an adapter says that a request came through a Unix socket, which has no address. */
export function isUnixSocket({ address }: IncomingRequest): boolean {
  return address === 'unix' || address?.startsWith('unix:') === true
}

function shared(kind: IgnoredForwarding['kind'], text: string): IgnoredForwarding {
  return { kind, isShared: true, message: `${text} ${RAISED}` }
}

function noAddress({ native }: IncomingRequest, sent: string | undefined): IgnoredForwarding {
  // A connection of `node:http` that its client has just closed has no address either.
  if (native !== undefined) return { kind: 'no-address', isShared: false, message: null }
  const hint = sent ? ' If a proxy is in front, name it in trustedProxies too.' : ''
  return shared(
    'no-address',
    `A request has no client address. Pass that of the connection: fetch(request, { address }).${hint}`,
  )
}

function untrusted(address: ParsedAddress, header: string): IgnoredForwarding {
  const isShared = isPrivateAddress(address)
  const message =
    `${shown(header)} from ${address} was ignored, because this address is not a trusted proxy. ` +
    `If it is your proxy, add trustedProxies: ['${address}'] to the options. ` +
    (isShared ? RAISED : 'Otherwise a client made the header up.')
  return { kind: 'untrusted', isShared, message }
}

function unixMessage(header: string): string {
  return (
    "A request came through a Unix socket, so its client is unknown. If only your proxy can open the socket, add trustedProxies: ['unix'] " +
    `to the options, and let the proxy write ${shown(header)}.`
  )
}

function otherHeaderMessage(header: string, other: string): string {
  return (
    `A trusted proxy sent ${shown(other)} but not ${shown(header)}, so the header was ignored. ` +
    `If the proxy writes ${shown(other)}, add settings: { proxyHeader: '${other}' } to createQuillgate.`
  )
}

function noHeaderMessage(header: string, client: ParsedAddress | null): string {
  const proxy = client === null ? 'behind a Unix socket' : `at ${client}`
  return (
    `The trusted proxy ${proxy} sent no address that can be read in ${shown(header)}. ` +
    'Let the proxy write the address of the client there.'
  )
}

/** `X-Forwarded-For` */
function shown(header: string): string {
  return header.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())
}
