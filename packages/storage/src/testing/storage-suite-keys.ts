import { expect, it } from 'vitest'
import { chunks, type Given, info, keysOf, textOf } from './storage-bodies.ts'

/** Keys that no storage may accept. */
export const INVALID_KEYS: readonly string[] = [
  ...[
    '',
    '/',
    '.',
    '..',
    '/a',
    'a/',
    'a//b',
    './a',
    'a/.',
    'a/..',
    '../a',
    'a/../b',
    'a/../../b',
    '....',
    'a/.b',
    'a.',
  ],
  ...[
    'a\\b',
    '..\\a',
    'C:\\a',
    'C:a',
    '\\\\host\\a',
    'a b',
    'a\tb',
    'a\nb',
    'a\0',
    'a\0.png',
    'a%2fb',
    '%2e%2e/a',
  ],
  ...[
    'a?b',
    'a#b',
    'a*',
    'a:b',
    'a|b',
    'a"b',
    "a'b",
    'a<b',
    '~/a',
    'a\u202eb',
    'a\u200bb',
    'a\ud800',
    'a／b',
    'a🎉',
  ],
  ...['n'.repeat(241), 'ф'.repeat(121), `${'n'.repeat(200)}/`.repeat(5).concat('a')],
]

/** Adds the tests of the keys that a storage accepts and rejects. */
export function keyTests(given: Given): void {
  it('accepts letters of every script', async () => {
    for (const key of [
      'md/фото-отпуск.png',
      'md/写真.jpg',
      'md/हिन्दी.txt',
      'md/e\u0301.txt',
      'md/UPPER_lower-1.2.tar.gz',
    ]) {
      await given().write(key, chunks(key), info)
      expect(await textOf(given(), key)).toBe(key)
      expect(await given().stat(key)).toMatchObject({ key })
    }
    expect(await keysOf(given(), 'md/')).toHaveLength(5)
  })

  it('accepts keys of the documented length', async () => {
    const key = `${'f'.repeat(240)}/${'ф'.repeat(120)}/${'n'.repeat(240)}`
    await given().write(key, chunks('x'), info)
    expect(await textOf(given(), key)).toBe('x')
  })

  it.each(INVALID_KEYS.map((key) => [key]))('rejects the key %j', async (key) => {
    const rejection = { code: 'invalid_storage_key' }
    await expect(given().write(key, chunks('x'), info)).rejects.toMatchObject(rejection)
    await expect(given().read(key)).rejects.toMatchObject(rejection)
    await expect(given().stat(key)).rejects.toMatchObject(rejection)
    await expect(given().copy(key, 'a')).rejects.toMatchObject(rejection)
    await expect(given().copy('a', key)).rejects.toMatchObject(rejection)
    await expect(given().remove(key)).rejects.toMatchObject(rejection)
    await expect(keysOf(given(), `${key}/`)).rejects.toMatchObject(rejection)
  })

  it('rejects a prefix without a final slash in list', async () => {
    await expect(keysOf(given(), 'a')).rejects.toMatchObject({ code: 'invalid_storage_key' })
  })
}
