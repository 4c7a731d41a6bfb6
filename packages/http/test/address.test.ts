import { addressKey } from '@quillgate/http'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

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

  it('has one key for what is no address', () => {
    expect([null, '', 'unknown', 'a'.repeat(10_000), '1.2.3'].map(addressKey)).toEqual(Array(5).fill('unknown'))
  })

  it('is short and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string()), (text) => {
        expect(addressKey(text).length).toBeLessThan(50)
      }),
      { numRuns: 500 },
    )
  })

  it('gives addresses of one /64 the same key', () => {
    const groups = fc.array(
      fc.nat(0xffff).map((group) => group.toString(16)),
      { minLength: 4, maxLength: 4 },
    )
    fc.assert(
      fc.property(groups, groups, groups, (network, a, b) => {
        fc.pre(network[0] !== '0')
        expect(addressKey([...network, ...a].join(':'))).toBe(addressKey([...network, ...b].join(':')))
      }),
      { numRuns: 300 },
    )
  })
})
