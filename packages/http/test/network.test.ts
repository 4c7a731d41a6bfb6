import { ConfigurationError, createNetwork, type Network } from '@quillgate/http'
import { describe, expect, it } from 'vitest'
import { contextOf } from './support/context.ts'

const behind = (...trustedProxies: string[]): Network => createNetwork({ trustedProxies })
const proxied = behind('10.0.0.0/8', 'fd00::/8')

describe('Network.clientAddress', () => {
  it('is the address of the socket, in its normal spelling', () => {
    const network = createNetwork()
    expect(network.clientAddress(contextOf({}, { address: '::ffff:192.0.2.1' }))).toBe('192.0.2.1')
    expect(network.clientAddress(contextOf({}, { address: '2001:DB8:0:0::1' }))).toBe('2001:db8::1')
    expect(network.clientAddress(contextOf({}, { address: 'fe80::1%eth0' }))).toBe('fe80::1')
  })

  it('is null without one', () => {
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

  it.each([
    ['for=192.0.2.1', '192.0.2.1'],
    ['For="192.0.2.1:8080";Proto=https;by=10.0.0.1', '192.0.2.1'],
    ['for="[2001:db8::1]:_obfuscated"', '2001:db8::1'],
    ['for=[2001:db8::1]:8080', '2001:db8::1'],
    ['for="192.0.2.1";secret="a,b;c\\"d"', '192.0.2.1'],
    ['for=198.51.100.1, for=192.0.2.1, for=10.1.2.3;proto=http', '192.0.2.1'],
  ])('reads Forwarded: %s', (value, expected) => {
    expect(proxied.clientAddress(contextOf({ forwarded: value }))).toBe(expected)
  })

  it('is the outermost address when all are trusted', () => {
    expect(proxied.clientAddress(contextOf({ 'x-forwarded-for': '10.9.9.9, 10.8.8.8' }))).toBe('10.9.9.9')
  })

  it('is the proxy itself when it forwards nothing', () => {
    expect(proxied.clientAddress(contextOf())).toBe('10.0.0.1')
  })
})

describe('Network.origin', () => {
  it('is that of the URL when nobody is trusted', () => {
    const context = contextOf({ 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.test' })
    expect(createNetwork().origin(context)).toBe('http://a.test')
    expect(createNetwork().isSecure(context)).toBe(false)
  })

  it('is what the trusted proxy says', () => {
    const context = contextOf({ 'x-forwarded-proto': 'https', 'x-forwarded-host': 'Example.com:443' })
    expect(proxied.origin(context)).toBe('https://example.com')
    expect(proxied.isSecure(context)).toBe(true)
    expect(proxied.origin(contextOf({ forwarded: 'proto=https;host="example.com:8443"' }))).toBe(
      'https://example.com:8443',
    )
  })

  it('keeps the host of the URL when the proxy says the scheme only', () => {
    const url = 'http://a.test:3000/x'
    expect(proxied.origin(contextOf({ 'x-forwarded-proto': 'HTTPS' }, { url }))).toBe('https://a.test:3000')
  })

  it('is what the outermost trusted proxy says', () => {
    const headers = { 'x-forwarded-for': '192.0.2.1, 10.2.2.2', 'x-forwarded-proto': 'http, https, http' }
    expect(proxied.origin(contextOf(headers))).toBe('https://a.test')
    const forwarded =
      'for=1.1.1.1;proto=http;host=evil.test, for=192.0.2.1;proto=https;host=example.com, for=10.2.2.2;proto=http'
    expect(proxied.origin(contextOf({ forwarded }))).toBe('https://example.com')
  })

  it('is publicOrigin, whatever the request says', () => {
    const network = createNetwork({ publicOrigin: 'https://Example.com:443/', trustedProxies: ['0.0.0.0/0'] })
    const context = contextOf({ 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'http' })
    expect(network.origin(context)).toBe('https://example.com')
    expect(network.isSecure(context)).toBe(true)
  })
})

describe('Network.isFromTrustedProxy', () => {
  it('looks at the socket only', () => {
    expect(proxied.isFromTrustedProxy(contextOf())).toBe(true)
    expect(proxied.isFromTrustedProxy(contextOf({}, { address: '::ffff:10.0.0.1' }))).toBe(true)
    expect(proxied.isFromTrustedProxy(contextOf({ 'x-forwarded-for': '10.0.0.1' }, { address: '192.0.2.1' }))).toBe(
      false,
    )
  })

  it('takes single addresses and mapped ranges', () => {
    expect(behind('10.0.0.1').isFromTrustedProxy(contextOf())).toBe(true)
    expect(behind('::ffff:10.0.0.0/104').isFromTrustedProxy(contextOf())).toBe(true)
    expect(behind('::ffff:10.0.0.0/128').isFromTrustedProxy(contextOf())).toBe(false)
    expect(behind('::1').isFromTrustedProxy(contextOf({}, { address: '::1' }))).toBe(true)
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
  ])('refuses the publicOrigin %j', (publicOrigin) => {
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
  ])('refuses the trusted proxy %j', (entry) => {
    const create = (): unknown => createNetwork({ trustedProxies: [entry as string] })
    expect(create).toThrow(ConfigurationError)
    expect(create).toThrow(/^trustedProxies must/)
  })

  it('refuses trustedProxies that are no list', () => {
    expect(() => createNetwork({ trustedProxies: '10.0.0.0/8' as unknown as string[] })).toThrow(ConfigurationError)
  })
})
