import { createQuillgate, type Quillgate, type QuillgateOptions } from '@quillgate/server'
import type { RequestContext } from '@quillgate/server/http'
import type { FetchHandler } from '@quillgate/server/testing/suites'
import { GATE_OPTIONS } from '../../src/options.ts'
import type { SentRequest } from './test-csrf.ts'

/** The options of an application object that tests mix with the options of a component. */
export interface TestGateOptions extends Omit<QuillgateOptions, 'settings'> {
  readonly proxyHeader?: string
}

/** Returns the options of the component as `own`. */
export function createTestGate<Own extends object>(
  options: TestGateOptions & Own,
): { gate: Quillgate; own: Omit<Own, keyof TestGateOptions> } {
  const { proxyHeader, ...others } = options
  const entries = Object.entries(others)
  const isShared = ([name]: [string, unknown]): boolean =>
    name !== 'settings' && name in GATE_OPTIONS
  const shared = Object.fromEntries(entries.filter(isShared)) as unknown as QuillgateOptions
  const settings = proxyHeader === undefined ? {} : { settings: { proxyHeader } }
  return {
    gate: createQuillgate({ ...shared, ...settings }),
    own: Object.fromEntries(entries.filter((entry) => !isShared(entry))) as Own,
  }
}

export interface GateCalls {
  fetch: Quillgate['fetch']
  handles: Quillgate['handles']
  openApi: Quillgate['openApi']
  ready: Quillgate['ready']
  close: Quillgate['close']
}

export function gateCalls({ fetch, handles, openApi, ready, close }: Quillgate): GateCalls {
  return { fetch, handles, openApi, ready, close }
}

const opened = new WeakSet<object>()

/** Opens the context of one call. Two calls with the same request count as two requests. */
export function openSent(gate: Quillgate, sent: SentRequest | RequestContext): RequestContext {
  const isSent = typeof sent === 'object' && sent !== null && 'request' in sent
  if (!isSent || 'cookies' in sent) return sent // The call itself rejects wrong values.
  const { request, ...connection } = sent
  const { url, method, headers } = request
  const { contexts } = gate.parts
  const context = contexts.open(new Request(url, { method, headers }), connection)
  opened.add(context)
  return context
}

/** Ends a context of `openSent`. Returns the `set-cookie` headers that the call has added. */
export function headersOf(context: RequestContext): Headers {
  const headers = new Headers()
  if (!opened.has(context)) return headers // Other calls may still use the context.
  for (const cookie of context.cookies.take(null)) headers.append('set-cookie', cookie)
  return headers
}

export function gateOf(
  handler: FetchHandler,
  options: Partial<QuillgateOptions> = {},
  ready: () => Promise<void> = async () => {},
): Quillgate {
  const secret = 'a secret of at least thirty-two bytes'
  const gate = createQuillgate({ secret, database: 'sqlite::memory:', ...options })
  gate.parts.components.register({
    name: 'test',
    paths: [],
    handles: (request) => handler.handles(request),
    respond: (context) => handler.fetch(context.request, context),
    ready,
    close: async () => {},
  })
  return gate
}
