import { expect, it } from 'vitest'
import { bytesOf, chunks, type Given, info, pieces, textOf } from './storage-bodies.ts'

/**
 * Adds the tests of `copy`.
 *
 * @param large the size, in bytes, of an object that a storage may copy in parts
 */
export function copyTests(given: Given, large: number): void {
  it('copies, keeps the source, and can be repeated', async () => {
    await given().write('tmp/a', chunks('bytes'), info)
    expect(await given().copy('tmp/a', 'kept/2026/a')).toBe(true)
    expect(await given().copy('tmp/a', 'kept/2026/a')).toBe(true)
    expect(await textOf(given(), 'tmp/a')).toBe('bytes')
    await given().remove('tmp/a')
    expect(await textOf(given(), 'kept/2026/a')).toBe('bytes')
  })

  it('can run several times at once', async () => {
    await given().write('tmp/a', chunks('bytes'), info)
    const copies = Array.from({ length: 5 }, () => given().copy('tmp/a', 'kept/a'))
    expect(await Promise.all(copies)).toEqual([true, true, true, true, true])
    expect(await textOf(given(), 'kept/a')).toBe('bytes')
  })

  it('returns false if the source is missing, even if the target exists', async () => {
    expect(await given().copy('tmp/none', 'kept/a')).toBe(false)
    expect(await given().stat('kept/a')).toBeNull()
    await given().write('kept/a', chunks('bytes'), info)
    expect(await given().copy('tmp/none', 'kept/a')).toBe(false)
  })

  it('does not replace another object', async () => {
    await given().write('tmp/a', chunks('bytes'), info)
    await given().write('kept/a', chunks('other bytes'), info)
    await expect(given().copy('tmp/a', 'kept/a')).rejects.toMatchObject({
      code: 'storage_conflict',
    })
    expect(await textOf(given(), 'kept/a')).toBe('other bytes')
  })

  it('copies a large object byte for byte', async () => {
    await given().write('tmp/large', ReadableStream.from(pieces(large)), info)
    expect(await given().copy('tmp/large', 'kept/large')).toBe(true)
    const whole = Buffer.concat([...pieces(large)])
    expect(Buffer.from(await bytesOf(given(), 'kept/large')).equals(whole)).toBe(true)
  })
}

/** Adds the tests of `remove`. */
export function removeTests(given: Given): void {
  it('removes an object, and then returns false', async () => {
    await given().write('a/file', chunks('x'), info)
    expect(await given().remove('a/file')).toBe(true)
    expect(await given().remove('a/file')).toBe(false)
    expect(await given().stat('a/file')).toBeNull()
  })

  it('removes objects, not folders', async () => {
    await given().write('a/b/c', chunks('x'), info)
    expect(await given().remove('a/b')).toBe(false)
    expect(await textOf(given(), 'a/b/c')).toBe('x')
  })

  it('allows a new object under the key', async () => {
    await given().write('a/file', chunks('one'), info)
    await given().remove('a/file')
    await given().write('a/file', chunks('two'), info)
    expect(await textOf(given(), 'a/file')).toBe('two')
  })
}
