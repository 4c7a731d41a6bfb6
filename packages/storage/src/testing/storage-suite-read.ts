import { expect, it } from 'vitest'
import { chunks, type Given, info, keysOf } from './storage-bodies.ts'

/** Adds the tests of `read` and `stat`. */
export function readTests(given: Given): void {
  it('returns null for a missing object', async () => {
    expect(await given().read('a/none')).toBeNull()
    expect(await given().stat('a/none')).toBeNull()
    await given().write('a/b/c', chunks('x'), info)
    expect(await given().read('a/b')).toBeNull()
    expect(await given().stat('a/b')).toBeNull()
  })

  it('returns the key, the size and the time', async () => {
    await given().write('a/file', chunks('12345'), info)
    const object = await given().stat('a/file')
    expect(object).toMatchObject({ key: 'a/file', size: 5 })
    expect(Number.isSafeInteger(object?.modifiedAt)).toBe(true)
  })

  it('returns a range with both ends, and the size of the whole object', async () => {
    await given().write('a/file', chunks('012345', '6789'), info)
    const ranges = [
      [0, 0, '0'],
      [2, 6, '23456'],
      [9, 9, '9'],
      [7, 100, '789'],
    ] as const
    for (const [start, end, expected] of ranges) {
      const stored = await given().read('a/file', { start, end })
      expect(stored?.size).toBe(10)
      expect(await new Response(stored?.body).text()).toBe(expected)
    }
  })

  it('returns no bytes for a range after the end, and the size of the whole object', async () => {
    await given().write('a/file', chunks('0123456789'), info)
    await given().write('a/empty', chunks(), info)
    for (const [key, start, size] of [
      ['a/file', 10, 10],
      ['a/file', 50, 10],
      ['a/empty', 0, 0],
    ] as const) {
      const stored = await given().read(key, { start, end: start + 5 })
      expect(stored?.size).toBe(size)
      expect(await new Response(stored?.body).text()).toBe('')
    }
  })

  it('allows cancelling a body', async () => {
    await given().write('a/file', chunks('x'.repeat(200_000)), info)
    const stored = await given().read('a/file')
    await stored?.body.cancel()
    expect(await given().remove('a/file')).toBe(true)
  })
}

/** Adds the tests of `list`. @param listed the number of objects in the test of long listings */
export function listTests(given: Given, listed: number): void {
  it('lists objects under a prefix at every depth, and no others', async () => {
    for (const key of ['a/1', 'a/b/2', 'a/b/c/3', 'ab/4', 'a-b/5', 'b/6'])
      await given().write(key, chunks(key), info)
    expect(await keysOf(given(), 'a/')).toEqual(['a/1', 'a/b/2', 'a/b/c/3'])
    expect(await keysOf(given(), 'a/b/')).toEqual(['a/b/2', 'a/b/c/3'])
    expect(await keysOf(given(), 'none/')).toEqual([])
  })

  it('returns the same metadata as stat', async () => {
    await given().write('a/file', chunks('12345'), info)
    for await (const object of given().list('a/'))
      expect(object).toEqual(await given().stat('a/file'))
  })

  it('lists all objects if there are many', { timeout: 120_000 }, async () => {
    const keys = Array.from({ length: listed }, (_, index) => `a/${String(index).padStart(6, '0')}`)
    await Promise.all(keys.map((key) => given().write(key, chunks('x'), info)))
    expect(await keysOf(given(), 'a/')).toEqual(keys)
  })

  it('allows removing objects during the listing', async () => {
    const keys = ['a/1', 'a/2', 'a/3']
    for (const key of keys) await given().write(key, chunks('x'), info)
    for await (const { key } of given().list('a/')) await given().remove(key)
    expect(await keysOf(given(), 'a/')).toEqual([])
  })
}
