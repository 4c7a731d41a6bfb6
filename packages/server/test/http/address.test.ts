import { addressNetwork } from '@quillgate/server/http'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addressKey, parseAddress } from '../../src/http/network/address.ts'

describe('addressKey', () => {
  it('keeps IPv4 addresses', () => {
    expect(addressKey('192.0.2.1')).toBe('192.0.2.1')
    expect(addressKey('::ffff:192.0.2.1')).toBe('192.0.2.1')
  })

  it('groups IPv6 addresses by their /64', () => {
    expect(addressKey('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64')
    expect(addressKey('2001:db8:1:2::ffff')).toBe('2001:db8:1:2::/64')
    expect(addressKey('2001:db8:1:3::1')).toBe('2001:db8:1:3::/64')
    expect(addressKey('fe80::1%eth0')).toBe('fe80::/64')
  })

  it('has one key for all texts that are not addresses', () => {
    expect([null, '', 'unknown', 'a'.repeat(10_000), '1.2.3'].map(addressKey)).toEqual(
      Array(5).fill('unknown'),
    )
  })

  it('is short and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string()), (text) => {
        expect(addressKey(text).length).toBeLessThan(50)
      }),
      { numRuns: 500 },
    )
  })

  it('returns the same key for addresses of one /64', () => {
    const groups = fc.array(
      fc.nat(0xffff).map((group) => group.toString(16)),
      { minLength: 4, maxLength: 4 },
    )
    fc.assert(
      fc.property(groups, groups, groups, (network, a, b) => {
        fc.pre(network[0] !== '0')
        expect(addressKey([...network, ...a].join(':'))).toBe(
          addressKey([...network, ...b].join(':')),
        )
      }),
      { numRuns: 300 },
    )
  })
})

describe('addressNetwork', () => {
  const bits = { ipv4: 24, ipv6: 48 }

  it.each([
    ['203.0.113.77', '203.0.113.0/24'],
    ['::ffff:203.0.113.77', '203.0.113.0/24'],
    ['2001:DB8:1:2:3::4', '2001:db8:1::/48'],
    ['::1', '::/48'],
    ['203.0.113.0/24', null],
    ['hmac-sha256:00', null],
    ['', null],
  ])('%s is in %s', (address, network) => {
    expect(addressNetwork(address, bits)).toBe(network)
  })

  it('is the same for all addresses of a network, and does not reveal the other bits', () => {
    fc.assert(
      fc.property(fc.ipV6(), fc.nat(0xffff), (address, last) => {
        const parsed = parseAddress(address)?.toString()
        fc.pre(parsed?.includes(':') === true && !address.includes('.'))
        const network = addressNetwork(address, bits)
        const host = `${network?.replace(/::\/48$/, '')}::${last.toString(16)}`
        fc.pre(parseAddress(host)?.toString().includes(':') === true)
        expect(addressNetwork(host, bits)).toBe(network)
      }),
      { numRuns: 300 },
    )
  })
})

describe('parseAddress', () => {
  it.each([
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['::ffff:cb00:714d', '203.0.113.77'],
    ['fe80::1%eth0', 'fe80::1'],
    ['1.2.3.4:80', null],
    ['[::1]', null],
  ])('%s is %s', (text, address) => {
    expect(parseAddress(text)?.toString() ?? null).toBe(address)
  })
})
