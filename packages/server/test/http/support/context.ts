import type { IncomingRequest } from '../../../src/http/context.ts'

export function contextOf(
  headers: Record<string, string> = {},
  { url = 'http://a.test/x', method = 'POST', address = '10.0.0.1' } = {},
): IncomingRequest {
  return { request: new Request(url, { method, headers }), address }
}
