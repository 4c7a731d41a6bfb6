import type { IncomingRequest } from '../context.ts'
import { isPrivateAddress, type ParsedAddress } from './address.ts'
import { type FoundClient, isUnixSocket } from './forwarded.ts'

const HEADERS = ['x-forwarded-for', 'forwarded', 'x-forwarded-proto', 'x-forwarded-host']

const RAISED = 'Until you do, all clients share one rate limit, which is 20 times higher.'

/**
 * Explains why the client's address is unknown or why a forwarding header is ignored. Returns null
 * if the address is known and no header is ignored. `message` is for the log, or null. `isShared`
 * is true if many clients may share the address.
 */
export function ignoredForwarding(
  context: IncomingRequest,
  { forwarded, client, trusted }: FoundClient,
  header: string,
) {
  const sent = [header, ...HEADERS].find((name) => context.request.headers.has(name))
  if (trusted === 0) {
    if (isUnixSocket(context)) return shared('unix', unixMessage(header))
    if (!client) return noAddress(context, sent)
    return sent ? untrusted(client, sent) : null
  }
  // The address is public, so it can belong to a client.
  if (client !== null && !isPrivateAddress(client)) return null
  // The entry at which `findClient` stopped, or undefined if all entries are trusted.
  const end = forwarded[trusted - 1]
  if (forwarded.length === 0 || end === null)
    return shared('no-header', noHeaderMessage(header, client))
  // If there are further entries, this private address belongs to a proxy that is not trusted.
  return client !== null && forwarded.length > trusted ? untrusted(client, header) : null
}

function shared(kind: string, text: string) {
  return { kind, isShared: true, message: `${text} ${RAISED}` }
}

function noAddress({ native }: IncomingRequest, sent: string | undefined) {
  // An adapter provides the address. If the connection is closed, there is no address. This is
  // normal, so it is not logged.
  if (native !== undefined) return { kind: 'no-address', isShared: false, message: null }
  const hint = sent ? ' If requests come through a proxy, add the proxy to trustedProxies too.' : ''
  return shared(
    'no-address',
    `A request has no client address. Pass the address of the connection: fetch(request, { address }).${hint}`,
  )
}

function untrusted(address: ParsedAddress, header: string) {
  const isShared = isPrivateAddress(address)
  const message =
    `${shown(header)} from ${address} was ignored, because this address is not a trusted proxy. ` +
    `If ${address} is your proxy, add trustedProxies: ['${address}'] to the options. ` +
    (isShared ? RAISED : 'Otherwise, a client invented the header.')
  return { kind: 'untrusted', isShared, message }
}

function unixMessage(header: string): string {
  return (
    "A request came through a Unix socket, so its client is unknown. If only your proxy can open the socket, add trustedProxies: ['unix'] " +
    `to the options, and let the proxy write ${shown(header)}.`
  )
}

function noHeaderMessage(header: string, client: ParsedAddress | null): string {
  const proxy = client === null ? 'behind a Unix socket' : `at ${client}`
  return (
    `The trusted proxy ${proxy} sent no valid address in ${shown(header)}. ` +
    'Let the proxy write the client address into this header, or name another header in settings.proxyHeader.'
  )
}

function shown(header: string): string {
  return header.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())
}
