import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import {
  bytesOf,
  chunks,
  failing,
  type Given,
  held,
  info,
  keysOf,
  pieces,
  textOf,
} from './storage-bodies.ts'

/**
 * Adds the tests of `write`.
 *
 * @param large the size, in bytes, of a body that a storage may write in parts
 */
export function writeTests(given: Given, large: number): void {
  it('returns the size and the checksum of the stored bytes', async () => {
    const result = await given().write('a/hello.txt', chunks('hello ', 'world'), info)
    expect(result).toEqual({
      size: 11,
      sha256: createHash('sha256').update('hello world').digest('hex'),
    })
    expect(await textOf(given(), 'a/hello.txt')).toBe('hello world')
  })

  it('stores an empty object', async () => {
    expect(await given().write('a/empty', chunks(), info)).toMatchObject({ size: 0 })
    expect(await textOf(given(), 'a/empty')).toBe('')
  })

  it('does not replace an object', async () => {
    await given().write('a/taken', chunks('first'), info)
    await expect(given().write('a/taken', chunks('second'), info)).rejects.toMatchObject({
      code: 'storage_conflict',
    })
    expect(await textOf(given(), 'a/taken')).toBe('first')
  })

  it('stores the whole object of exactly one of several concurrent writers', async () => {
    const texts = Array.from({ length: 8 }, (_, index) => String(index).repeat(5_000 + index))
    const results = await Promise.allSettled(
      texts.map((text) => given().write('a/race', chunks(text), info)),
    )
    const winners = texts.filter((_, index) => results[index]?.status === 'fulfilled')
    expect(winners).toHaveLength(1)
    for (const result of results) {
      if (result.status === 'rejected')
        expect(result.reason).toMatchObject({ code: 'storage_conflict' })
    }
    expect(await textOf(given(), 'a/race')).toBe(winners[0])
    expect(await keysOf(given(), 'a/')).toEqual(['a/race'])
  })

  it('leaves no data if the body fails, and rejects with the same error', async () => {
    const reason = new Error('the client went away')
    await expect(given().write('a/broken', failing(reason), info)).rejects.toBe(reason)
    expect(await given().stat('a/broken')).toBeNull()
    expect(await keysOf(given(), 'a/')).toEqual([])
    await given().write('a/broken', chunks('second try'), info)
    expect(await textOf(given(), 'a/broken')).toBe('second try')
  })

  it('shows an object only when it is complete', async () => {
    const { body, finish } = held('first half, ', 'second half')
    const writing = given().write('a/slow', body, info)
    expect(await given().stat('a/slow')).toBeNull()
    expect(await given().read('a/slow')).toBeNull()
    expect(await keysOf(given(), 'a/')).toEqual([])
    finish()
    await writing
    expect(await textOf(given(), 'a/slow')).toBe('first half, second half')
  })

  writeLargeTests(given, large)
}

function writeLargeTests(given: Given, large: number): void {
  it('stores many chunks byte for byte', async () => {
    const parts = Array.from({ length: 60 }, (_, index) => Buffer.alloc(10_000 + index, index))
    await given().write('a/large', chunks(...parts), info)
    expect(Buffer.from(await bytesOf(given(), 'a/large')).equals(Buffer.concat(parts))).toBe(true)
  })

  it('stores a large body byte for byte', async () => {
    const whole = Buffer.concat([...pieces(large)])
    const result = await given().write('a/large', ReadableStream.from(pieces(large)), info)
    expect(result).toEqual({
      size: large,
      sha256: createHash('sha256').update(whole).digest('hex'),
    })
    expect(Buffer.from(await bytesOf(given(), 'a/large')).equals(whole)).toBe(true)
  })

  it('leaves no data if a large body fails', async () => {
    const reason = new Error('the client went away')
    await expect(given().write('a/large', failing(reason, large), info)).rejects.toBe(reason)
    expect(await given().stat('a/large')).toBeNull()
    expect(await keysOf(given(), 'a/')).toEqual([])
  })

  it('stores the whole object of exactly one of several concurrent large writers', async () => {
    const writes = [1, 2, 3].map((salt) =>
      given().write('a/race', ReadableStream.from(pieces(large, salt)), info),
    )
    const results = await Promise.allSettled(writes)
    const winners = results.flatMap(({ status }, index) =>
      status === 'fulfilled' ? [index + 1] : [],
    )
    expect(winners).toHaveLength(1)
    const whole = Buffer.concat([...pieces(large, winners[0])])
    expect(Buffer.from(await bytesOf(given(), 'a/race')).equals(whole)).toBe(true)
    expect(await keysOf(given(), 'a/')).toEqual(['a/race'])
  })
}
