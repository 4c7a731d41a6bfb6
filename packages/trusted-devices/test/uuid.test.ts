import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createUuids, parseUuid, toUuid, uuidBytes } from '../src/uuid.ts'

describe('createUuids', () => {
  it('makes UUIDs v7 that carry the time', () => {
    const uid = createUuids(() => new Uint8Array(8).fill(0xff))(Date.UTC(2026, 0, 1))
    expect(uid).toBe('019b76da-a800-7000-bfff-ffffffffffff')
  })

  it('makes growing ids, whatever the clock does', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 2 ** 47 }), { maxLength: 50 }), (times) => {
        const create = createUuids()
        const ids = times.map((time) => create(time))
        expect(ids).toEqual([...ids].sort())
        expect(new Set(ids).size).toBe(ids.length)
        for (const id of ids) expect(parseUuid(id)).toBe(id)
      }),
    )
    const create = createUuids()
    const many = Array.from({ length: 10_000 }, () => create(1000))
    expect(many).toEqual([...many].sort())
  })
})

describe('parseUuid', () => {
  it('takes both cases, and nothing else', () => {
    fc.assert(
      fc.property(fc.uuid(), (uuid) => void expect(parseUuid(uuid.toUpperCase())).toBe(uuid)),
    )
    fc.assert(fc.property(fc.uuid(), (uuid) => void expect(toUuid(uuidBytes(uuid))).toBe(uuid)))
    for (const text of [
      '',
      'x',
      '019b76daa80070008fffffffffffffff',
      ' 019b76da-a800-7000-bfff-ffffffffffff',
    ]) {
      expect(parseUuid(text)).toBeNull()
    }
  })
})
