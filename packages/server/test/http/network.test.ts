import { ConfigurationError } from '@quillgate/server/core'
import type { Network } from '@quillgate/server/http'
import { describe, expect, it } from 'vitest'
import { createNetwork } from '../../src/http/network/network.ts'
import { contextOf } from './support/context.ts'

const behind = (...trustedProxies: string[]): Network => createNetwork({ trustedProxies })
const proxied = behind('10.0.0.0/8', 'fd00::/8')
const named = createNetwork({ trustedProxies: ['10.0.0.0/8'], proxyHeader: 'x-real-ip' })

describe('Network.clientAddress', () => {
  it('returns the normalized address of the socket', () => {
    const network = createNetwork()
    expect(network.clientAddress(contextOf({}, { address: '::ffff:192.0.2.1' }))).toBe('192.0.2.1')
    expect(network.clientAddress(contextOf({}, { address: '2001:DB8:0:0::1' }))).toBe('2001:db8::1')
    expect(network.clientAddress(contextOf({}, { address: 'fe80::1%eth0' }))).toBe('fe80::1')
  })

  it('returns null without an address', () => {
    const { request } = contextOf()
    expect(createNetwork().clientAddress({ request })).toBeNull()
    expect(proxied.clientAddress({ request, address: 'unix:/run/app.sock' })).toBeNull()
  })

  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['192.0.2.1:8080', '192.0.2.1'],
    ['2001:db8::1', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:db8::1]:8080', '2001:db8::1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['198.51.100.1, 192.0.2.1', '192.0.2.1'],
    ['198.51.100.1, 192.0.2.1,10.1.2.3 ,  [fd00::1]:443', '192.0.2.1'],
  ])('reads X-Forwarded-For: %s', (value, expected) => {
    expect(proxied.clientAddress(contextOf({ 'x-forwarded-for': value }))).toBe(expected)
  })

  it('reads only the header that the setting names', () => {
    const headers = { 'x-real-ip': '192.0.2.1', 'x-forwarded-for': '6.6.6.6' }
    expect(named.clientAddress(contextOf(headers))).toBe('192.0.2.1')
    expect(named.clientAddress(contextOf(headers, { address: '192.0.2.9' }))).toBe('192.0.2.9')
  })

  it('returns the first address if all addresses are trusted', () => {
    expect(proxied.clientAddress(contextOf({ 'x-forwarded-for': '10.9.9.9, 10.8.8.8' }))).toBe(
      '10.9.9.9',
    )
  })

  it('returns the address of a proxy that sends no header', () => {
    expect(proxied.clientAddress(contextOf())).toBe('10.0.0.1')
  })
})

describe('Network.origin', () => {
  it('returns the origin of the URL if no proxy is trusted', () => {
    const context = contextOf({ 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.test' })
    expect(createNetwork().origin(context)).toBe('http://a.test')
    expect(createNetwork().isSecure(context)).toBe(false)
  })

  it('returns the origin that the trusted proxy sends', () => {
    const context = contextOf({
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'Example.com:443',
    })
    expect(proxied.origin(context)).toBe('https://example.com')
    expect(proxied.isSecure(context)).toBe(true)
  })

  it('uses the host of the URL if the proxy sends only the scheme', () => {
    const url = 'http://a.test:3000/x'
    expect(proxied.origin(contextOf({ 'x-forwarded-proto': 'HTTPS' }, { url }))).toBe(
      'https://a.test:3000',
    )
  })

  it('returns the origin that the outermost trusted proxy sends', () => {
    const headers = {
      'x-forwarded-for': '192.0.2.1, 10.2.2.2',
      'x-forwarded-proto': 'http, https, http',
    }
    expect(proxied.origin(contextOf(headers))).toBe('https://a.test')
  })

  it('returns publicOrigin for every request', () => {
    const network = createNetwork({
      publicOrigin: 'https://Example.com:443/',
      trustedProxies: ['0.0.0.0/0'],
    })
    const context = contextOf({ 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'http' })
    expect(network.origin(context)).toBe('https://example.com')
    expect(network.isSecure(context)).toBe(true)
  })
})

describe('Network.isFromTrustedProxy', () => {
  it('depends only on the address of the socket', () => {
    expect(proxied.isFromTrustedProxy(contextOf())).toBe(true)
    expect(proxied.isFromTrustedProxy(contextOf({}, { address: '::ffff:10.0.0.1' }))).toBe(true)
    expect(
      proxied.isFromTrustedProxy(
        contextOf({ 'x-forwarded-for': '10.0.0.1' }, { address: '192.0.2.1' }),
      ),
    ).toBe(false)
  })

  it('accepts single addresses and mapped ranges', () => {
    expect(behind('10.0.0.1').isFromTrustedProxy(contextOf())).toBe(true)
    expect(behind('::ffff:10.0.0.0/104').isFromTrustedProxy(contextOf())).toBe(true)
    expect(behind('::ffff:10.0.0.0/128').isFromTrustedProxy(contextOf())).toBe(false)
    expect(behind('::1').isFromTrustedProxy(contextOf({}, { address: '::1' }))).toBe(true)
  })
})

describe('Unix sockets', () => {
  const headers = { 'x-forwarded-for': '192.0.2.1', 'x-forwarded-proto': 'https' }

  it.each(['unix', 'unix:/run/app.sock'])(
    'are trusted where trustedProxies has "unix": %s',
    (address) => {
      const context = contextOf(headers, { address })
      expect(behind('unix').clientAddress(context)).toBe('192.0.2.1')
      expect(behind('unix').isSecure(context)).toBe(true)
      expect(behind('unix', '127.0.0.1').isFromTrustedProxy(context)).toBe(true)
      expect(behind('0.0.0.0/0', '::/0').clientAddress(context)).toBeNull()
    },
  )

  it('are different from a missing address', () => {
    const { request } = contextOf(headers)
    expect(behind('unix').clientAddress({ request })).toBeNull()
  })
})

describe('the trust setting of the framework', () => {
  const trustProxy = (address: string | undefined, hop: number): boolean =>
    address === '10.0.0.1' && hop === 0

  it('is used if trustedProxies is not given', () => {
    const context = { ...contextOf({ 'x-forwarded-for': '198.51.100.1, 192.0.2.1' }), trustProxy }
    expect(createNetwork().clientAddress(context)).toBe('192.0.2.1')
    expect(createNetwork({ trustedProxies: [] }).clientAddress(context)).toBe('10.0.0.1')
    expect(createNetwork({ trustedProxies: ['192.0.2.9'] }).clientAddress(context)).toBe('10.0.0.1')
  })

  it('is not called for a missing address', () => {
    const { request } = contextOf({ 'x-forwarded-for': '192.0.2.1' })
    expect(createNetwork().clientAddress({ request, trustProxy: () => true })).toBeNull()
  })
})

describe('Network.addressLimit', () => {
  const rate = { limit: 5, seconds: 60 }
  const limitOf = (
    network: Network,
    headers: Record<string, string>,
    address?: string,
  ): unknown => {
    const { request } = contextOf(headers)
    return network.addressLimit(address === undefined ? { request } : { request, address }, rate)
      .rate?.limit
  }

  it('returns the given rate for a client with its own address', () => {
    for (const address of ['203.0.113.1', '10.0.0.1', '127.0.0.1', '::1', '2001:db8::1']) {
      expect(limitOf(createNetwork(), {}, address), address).toBe(5)
    }
    expect(limitOf(proxied, { 'x-forwarded-for': '6.6.6.6, 192.0.2.1' }, '10.0.0.1')).toBe(5)
    expect(limitOf(proxied, { 'x-forwarded-for': '192.168.0.7' }, '10.0.0.1')).toBe(5)
  })

  it.each([
    '10.0.0.1',
    '127.0.0.1',
    '::ffff:127.0.0.1',
    '::1',
    '172.17.0.1',
    '192.168.1.1',
    'fd00::1',
    '100.64.0.1',
  ])(
    'is 20 times higher for a private address that forwards, but is not trusted: %s',
    (address) => {
      for (const headers of [{ 'x-forwarded-for': '192.0.2.1' }, { forwarded: 'for=192.0.2.1' }]) {
        expect(limitOf(createNetwork(), headers, address)).toBe(100)
      }
    },
  )

  it('is 20 times higher without an address, and behind a Unix socket', () => {
    for (const address of [undefined, 'unix', 'unix:/run/app.sock', 'localhost']) {
      expect(limitOf(createNetwork(), {}, address), address).toBe(100)
    }
  })

  it('is not raised for a public address with the header, because clients can send the header', () => {
    expect(limitOf(createNetwork(), { 'x-forwarded-for': '192.0.2.1' }, '203.0.113.1')).toBe(5)
  })

  it('is 20 times higher for a second proxy that is not trusted', () => {
    const chain = { 'x-forwarded-for': '192.0.2.1, 172.17.0.1' }
    expect(limitOf(proxied, chain, '10.0.0.1')).toBe(100)
    expect(limitOf(behind('10.0.0.0/8', '172.16.0.0/12'), chain, '10.0.0.1')).toBe(5)
  })

  it('is 20 times higher if the proxy writes a header that is not read', () => {
    expect(limitOf(proxied, { forwarded: 'for=192.0.2.1' }, '10.0.0.1')).toBe(100)
    expect(
      limitOf(proxied, { forwarded: 'for=6.6.6.6', 'x-forwarded-for': '192.0.2.1' }, '10.0.0.1'),
    ).toBe(5)
    expect(limitOf(named, { 'x-forwarded-for': '192.0.2.1' }, '10.0.0.1')).toBe(100)
  })

  it.each<[string, Record<string, string>]>([
    ['no header', {}],
    ['only X-Forwarded-Proto', { 'x-forwarded-proto': 'https' }],
    ['an unreadable address', { 'x-forwarded-for': 'unknown' }],
    ['an unreadable address behind a second proxy', { 'x-forwarded-for': 'unknown, 10.0.0.2' }],
  ])('is 20 times higher if a trusted proxy at a private address sends %s', (_what, headers) => {
    for (const address of ['10.0.0.1', '127.0.0.1', 'unix']) {
      expect(limitOf(behind('10.0.0.0/8', '127.0.0.1', 'unix'), headers, address), address).toBe(
        100,
      )
    }
  })

  it('is not raised for a trusted public address without a header, because Express may trust all clients', () => {
    expect(limitOf(behind('0.0.0.0/0'), {}, '203.0.113.1')).toBe(5)
    expect(limitOf(behind('0.0.0.0/0'), { 'x-forwarded-for': 'unknown' }, '203.0.113.1')).toBe(5)
  })

  it('returns the key of the address, and null for the rate null', () => {
    const context = contextOf({ 'x-forwarded-for': '2001:db8:1:2:3::4' })
    expect(proxied.addressLimit(context, null)).toEqual({
      address: '2001:db8:1:2:3::4',
      key: '2001:db8:1:2::/64',
      rate: null,
    })
  })
})

describe('createNetwork', () => {
  it.each([
    'example.com',
    'https://example.com/app',
    'ftp://example.com',
    'https://u:p@example.com',
    'https://a.test?x',
    '',
    'null',
    5,
  ])('rejects the publicOrigin %j', (publicOrigin) => {
    const create = (): unknown => createNetwork({ publicOrigin: publicOrigin as string })
    expect(create).toThrow(ConfigurationError)
    expect(create).toThrow(/^publicOrigin must/)
  })

  it.each([
    '10.0.0.0/33',
    '10.0.0/8',
    '::/129',
    'loopback',
    '',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    '::ffff:10.0.0.0/8',
    '010.0.0.1',
    7,
  ])('rejects the trusted proxy %j', (entry) => {
    const create = (): unknown => createNetwork({ trustedProxies: [entry as string] })
    expect(create).toThrow(ConfigurationError)
    expect(create).toThrow(/^trustedProxies\[0\] must/)
  })

  it.each(['Forwarded', 'forwarded', 'X-Real-IP', 'x real', '', null, 1])(
    'rejects the proxyHeader %j',
    (proxyHeader) => {
      expect(() => createNetwork({ proxyHeader: proxyHeader as string })).toThrow(
        /^proxyHeader must be/,
      )
    },
  )

  it('rejects trustedProxies that is not a list', () => {
    expect(() => createNetwork({ trustedProxies: '10.0.0.0/8' as unknown as string[] })).toThrow(
      ConfigurationError,
    )
  })
})

describe('publicAddress', () => {
  const publicAddress = (address: string): string | null =>
    createNetwork().publicAddress(contextOf({}, { address }))

  it.each([
    '8.8.8.8',
    '192.0.1.1',
    '198.20.0.1',
    '203.0.113.10',
    '2001:db8::1',
    '64:ff9b::808:808',
  ])('returns %s, which has a location', (address) => {
    expect(publicAddress(address)).toBe(address)
  })
  it.each([
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '255.255.255.255',
    '192.0.0.8',
    '198.18.0.1',
    '198.19.255.255',
    '224.0.0.1',
    '240.0.0.1',
    '::',
    '64:ff9b:1::a00:1',
    'ff02::1',
    'fc00::1',
    'nonsense',
    '',
  ])('returns null for %j', (address) => {
    expect(publicAddress(address)).toBeNull()
  })
})
