import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findClient } from '../../src/http/network/forwarded.ts'
import { contextOf } from './support/context.ts'

describe('a chain of 10,000 addresses', () => {
  const chain = Array.from({ length: 10_000 }, (_, index) => `8.8.${index >> 8}.${index & 255}`)

  it('is read from its end, up to the maximum length of a chain', () => {
    const context = contextOf({ 'x-forwarded-for': chain.join(',') })
    const { forwarded, trusted } = findClient(context, 'x-forwarded-for', () => true)
    expect(forwarded).toHaveLength(64)
    expect(forwarded[0]?.toString()).toBe('8.8.39.15')
    expect(trusted).toBe(65)
  })
})

it('never throws for any header', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[ -~]{0,80}$/), (header) => {
      const { forwarded } = findClient(contextOf({ x: header }), 'x', () => true)
      expect(forwarded.length).toBeGreaterThan(0)
    }),
  )
})
