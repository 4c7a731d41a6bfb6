import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createNetwork } from '../../src/http/network/network.ts'
import { contextOf } from './support/context.ts'

const network = createNetwork({ trustedProxies: ['10.0.0.0/8'] })
const named = createNetwork({ trustedProxies: ['10.0.0.0/8'], proxyHeader: 'x-real-ip' })
const address = (headers: Record<string, string>, socket = '10.0.0.1'): string | null =>
  network.clientAddress(contextOf(headers, { address: socket }))

const proxyAddress = fc
  .tuple(fc.nat(255), fc.nat(255), fc.nat(255))
  .map((bytes) => `10.${bytes.join('.')}`)
const clientAddress = fc.oneof(
  fc.ipV4().filter((ip) => !ip.startsWith('10.')),
  fc.ipV6().map((ip) => ip.toLowerCase()),
)
const noise = fc.stringMatching(/^[ -~]{0,60}$/)
const port = fc.option(fc.integer({ min: 0, max: 65_535 }))

const canonical = (ip: string): string | null =>
  createNetwork().clientAddress(contextOf({}, { address: ip }))
const withPort = (ip: string, number: number | null): string => {
  if (number === null) return ip
  return ip.includes(':') ? `[${ip}]:${number}` : `${ip}:${number}`
}
const isTrusted = (ip: string | null): boolean => ip?.startsWith('10.') ?? false

describe('reading X-Forwarded-For', () => {
  it('finds the address that the outermost trusted proxy wrote, for all texts that the client wrote before it', () => {
    fc.assert(
      fc.property(
        noise,
        clientAddress,
        port,
        fc.array(proxyAddress, { maxLength: 4 }),
        (forged, client, number, proxies) => {
          fc.pre(!isTrusted(canonical(client)))
          const header = [forged, withPort(client, number), ...proxies].join(', ')
          expect(address({ 'x-forwarded-for': header })).toBe(canonical(client))
        },
      ),
      { numRuns: 500 },
    )
  })

  it('ignores every header of a socket that is not trusted', () => {
    fc.assert(
      fc.property(noise, noise, (xff, forwarded) => {
        expect(address({ 'x-forwarded-for': xff, forwarded }, '192.0.2.1')).toBe('192.0.2.1')
      }),
      { numRuns: 300 },
    )
  })

  it('never throws, and returns an address of the header or of the proxy', () => {
    fc.assert(
      fc.property(noise, noise, (xff, forwarded) => {
        for (const headers of [
          { 'x-forwarded-for': xff },
          { forwarded },
          { 'x-forwarded-for': xff, forwarded },
        ]) {
          for (const each of [network, named]) {
            const found = each.clientAddress(contextOf(headers))
            expect(canonical(found ?? '')).toBe(found)
            expect(each.origin(contextOf(headers))).toBe('http://a.test')
          }
        }
      }),
      { numRuns: 500 },
    )
  })

  it.each([
    'unknown',
    '',
    '192.0.2.1,',
    '192.0.2.1, garbage',
    '192.0.2.1 198.51.100.1',
    '0300.0.2.1',
    '0xC0000201',
    '3221225985',
    '192.0.2',
    '192.0.2.1:99999999',
    '[192.0.2.1]',
    '[2001:db8::1',
    '2001:db8::1]',
    '[2001:db8::1]x',
    '::ffff:0300.0.2.1',
    '2001:db8:::1',
    '"192.0.2.1"',
    `${'1'.repeat(10_000)}`,
  ])('stops at an invalid address: %j', (value) => {
    expect(address({ 'x-forwarded-for': value })).toBe('10.0.0.1')
  })

  it('returns the last address that it could read', () => {
    expect(address({ 'x-forwarded-for': '192.0.2.1, garbage, 10.2.2.2' })).toBe('10.2.2.2')
  })

  it('stops at the first untrusted address, even if further addresses are trusted', () => {
    expect(address({ 'x-forwarded-for': '10.3.3.3, 192.0.2.1' })).toBe('192.0.2.1')
  })
})

describe('a header that the proxy does not write', () => {
  it.each([
    'for=6.6.6.6',
    'for=192.0.2.9, for=6.6.6.6',
    '',
    '"',
    'for=unknown',
    'for=10.0.0.9;proto=http;host=evil.test',
  ])('does not change the address or the origin: Forwarded %j', (forwarded) => {
    const headers = {
      'x-forwarded-for': '192.0.2.1',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'example.com',
    }
    expect(address({ ...headers, forwarded })).toBe('192.0.2.1')
    expect(network.origin(contextOf({ ...headers, forwarded }))).toBe('https://example.com')
  })

  it.each(['6.6.6.6', '192.0.2.9, 6.6.6.6', '', 'nonsense', '10.0.0.9'])(
    'does not change the address: X-Forwarded-For %j',
    (value) => {
      const context = contextOf({ 'x-real-ip': '192.0.2.1', 'x-forwarded-for': value })
      expect(named.clientAddress(context)).toBe('192.0.2.1')
    },
  )
})

describe('hosts that a trusted proxy forwards', () => {
  it.each([
    'evil.test/path',
    'user@evil.test',
    'evil.test?x',
    'evil.test#x',
    'a b',
    'evil.test\\x',
    '[',
    ':80',
    'evil.test:99999',
    '',
  ])('are ignored if they are not valid: %j', (host) => {
    expect(network.origin(contextOf({ 'x-forwarded-host': host }))).toBe('http://a.test')
  })

  it.each(['javascript', 'file', 'https:', 'wss', ''])(
    'are ignored with the scheme %j',
    (proto) => {
      expect(network.origin(contextOf({ 'x-forwarded-proto': proto }))).toBe('http://a.test')
    },
  )
})
