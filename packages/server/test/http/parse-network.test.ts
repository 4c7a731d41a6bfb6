import fc from 'fast-check'
import { expect, it } from 'vitest'
import { normalAddress, parseNetwork } from '../../src/http/network/address.ts'

it.each([
  ['203.0.113.7', '203.0.113.7', '203.0.113.7'],
  ['203.0.113.7/32', '203.0.113.7', '203.0.113.7'],
  ['203.0.113.7/24', null, '203.0.113.'],
  ['203.0.113.7/23', null, '203.0.'],
  ['203.0.113.7/7', null, ''],
  ['::ffff:203.0.113.7', '203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.0/120', null, '203.0.113.'],
  ['2001:DB8::1', '2001:db8::1', '2001:db8:'],
  ['2001:db8::/48', null, '2001:db8:'],
  ['2001:db8:1::/48', null, '2001:db8:1:'],
  ['2001:db8:1::/47', null, '2001:db8:'],
  ['::1', '::1', ''],
  ['::/0', null, ''],
])('%s is read', (text, single, prefix) => {
  expect(parseNetwork(text)).toMatchObject({ single, prefix })
})

it.each([
  '',
  'x',
  '203.0.113',
  '203.0.113.7/33',
  '203.0.113.7/',
  '203.0.113.7/8/8',
  '2001:db8::/129',
  '0x7f.1',
  '/8',
])('%j is none', (text) => {
  expect(parseNetwork(text)).toBeNull()
})

it('what lies in it begins with its prefix, and networks lie in it when all of their addresses do', () => {
  const ip = fc.oneof(fc.ipV4(), fc.ipV6())
  fc.assert(
    fc.property(ip, fc.nat(), ip, fc.nat(), (base, a, other, b) => {
      const bits = (address: string, number: number): number =>
        number % (address.includes(':') ? 129 : 33)
      const network = parseNetwork(`${base}/${bits(base, a)}`)
      if (!network) return // Spellings that are not taken.
      expect(network.covers(base)).toBe(true)
      const spelt = normalAddress(other) ?? ''
      if (network.covers(spelt)) expect(spelt.startsWith(network.prefix)).toBe(true)
      const inner = `${spelt}/${bits(spelt, b)}`
      if (network.covers(inner)) expect(network.covers(spelt)).toBe(true)
    }),
    { numRuns: 2000 },
  )
  const network = parseNetwork('203.0.113.0/24')
  expect(
    ['203.0.113.0/24', '203.0.113.0/25', '203.0.113.9'].map((text) => network?.covers(text)),
  ).toEqual([true, true, true])
  expect(
    ['203.0.0.0/16', '2001:db8::1', 'hmac-sha256:00', ''].map((text) => network?.covers(text)),
  ).toEqual(Array(4).fill(false))
})
