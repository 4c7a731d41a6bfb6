import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  hopsFromForwarded,
  hopsFromXForwardedFor,
  lastEntries,
} from '../../src/http/network/forwarded.ts'

describe('lastEntries', () => {
  it('gives what splitting all of it would give', () => {
    const text = fc.string({ unit: fc.constantFrom(',', ' ', 'a', '1') })
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 8 }), (header, count) => {
        const all = header.split(',').map((entry) => entry.trim())
        expect(lastEntries(header, count)).toEqual(all.slice(-count))
      }),
    )
  })
})

describe('a chain of 10,000 addresses', () => {
  const chain = Array.from({ length: 10_000 }, (_, index) => `8.8.${index >> 8}.${index & 255}`)

  it('of X-Forwarded-For is read from its end, no further than any chain of proxies goes', () => {
    const hops = hopsFromXForwardedFor(chain.join(','))
    expect(hops).toHaveLength(64)
    expect(hops[0]?.address?.toString()).toBe('8.8.39.15')
  })

  it('of Forwarded is none: it can only be read as a whole', () => {
    expect(hopsFromForwarded(chain.map((address) => `for=${address}`).join(','))).toEqual([])
  })
})
