import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Storage } from '../storage/storage.ts'

/** A storage that a test has opened. */
export interface OpenStorage {
  readonly storage: Storage
  /** Removes all that the test left behind. */
  close?(): Promise<void>
}

/** Options of {@link storageSuite}. */
export interface StorageSuiteOptions {
  /** How many objects the listing test writes; more than one page of the service's own listing. @default 40 */
  readonly listed?: number
}

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
  ...['a\\b', '..\\a', 'C:\\a', 'C:a', '\\\\host\\a', 'a b', 'a\tb', 'a\nb', 'a\0', 'a\0.png', 'a%2fb', '%2e%2e/a'],
  ...['a?b', 'a#b', 'a*', 'a:b', 'a|b', 'a"b', "a'b", 'a<b', '~/a', 'a\u202eb', 'a\u200bb', 'a\ud800', 'a／b', 'a🎉'],
  ...['n'.repeat(241), 'ф'.repeat(121), `${'n'.repeat(200)}/`.repeat(5).concat('a')],
]

/**
 * Describes and tests what every storage promises. Call it in a Vitest file; each test opens a storage of its own.
 *
 * @param name what the tests are called
 * @param open opens an empty storage
 * @example
 * storageSuite('memoryStorage', async () => ({ storage: memoryStorage() }))
 */
export function storageSuite(
  name: string,
  open: () => Promise<OpenStorage>,
  { listed = 40 }: StorageSuiteOptions = {},
): void {
  describe(name, () => {
    let opened: OpenStorage
    let storage: Storage
    beforeEach(async () => {
      opened = await open()
      storage = opened.storage
    })
    afterEach(async () => {
      await storage.close?.()
      await opened.close?.()
    })
    const given = (): Storage => storage
    describe('write', () => writeTests(given))
    describe('read and stat', () => readTests(given))
    describe('copy', () => copyTests(given))
    describe('remove', () => removeTests(given))
    describe('list', () => listTests(given, listed))
    describe('keys', () => keyTests(given))
  })
}

type Given = () => Storage

const info = { type: 'text/plain' }

function writeTests(given: Given): void {
  it('tells the size and the checksum of what it stored', async () => {
    const result = await given().write('a/hello.txt', chunks('hello ', 'world'), info)
    expect(result).toEqual({ size: 11, sha256: createHash('sha256').update('hello world').digest('hex') })
    expect(await textOf(given(), 'a/hello.txt')).toBe('hello world')
  })

  it('stores an empty object', async () => {
    expect(await given().write('a/empty', chunks(), info)).toMatchObject({ size: 0 })
    expect(await textOf(given(), 'a/empty')).toBe('')
  })

  it('stores many chunks byte for byte', async () => {
    const parts = Array.from({ length: 60 }, (_, index) => Buffer.alloc(10_000 + index, index))
    await given().write('a/large', chunks(...parts), info)
    expect(Buffer.from(await bytesOf(given(), 'a/large')).equals(Buffer.concat(parts))).toBe(true)
  })

  it('does not replace an object', async () => {
    await given().write('a/taken', chunks('first'), info)
    await expect(given().write('a/taken', chunks('second'), info)).rejects.toMatchObject({ code: 'storage_conflict' })
    expect(await textOf(given(), 'a/taken')).toBe('first')
  })

  it('lets one of several writers win, with its whole object', async () => {
    const texts = Array.from({ length: 8 }, (_, index) => String(index).repeat(5_000 + index))
    const results = await Promise.allSettled(texts.map((text) => given().write('a/race', chunks(text), info)))
    const winners = texts.filter((_, index) => results[index]?.status === 'fulfilled')
    expect(winners).toHaveLength(1)
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'storage_conflict' })
    }
    expect(await textOf(given(), 'a/race')).toBe(winners[0])
    expect(await keysOf(given(), 'a/')).toEqual(['a/race'])
  })

  it('leaves nothing behind when the body fails, and passes its error on', async () => {
    const reason = new Error('the client went away')
    await expect(given().write('a/broken', failing(reason), info)).rejects.toBe(reason)
    expect(await given().stat('a/broken')).toBeNull()
    expect(await keysOf(given(), 'a/')).toEqual([])
    await given().write('a/broken', chunks('second try'), info)
    expect(await textOf(given(), 'a/broken')).toBe('second try')
  })

  it('shows an object only when it is whole', async () => {
    const { body, finish } = held('first half, ', 'second half')
    const writing = given().write('a/slow', body, info)
    expect(await given().stat('a/slow')).toBeNull()
    expect(await given().read('a/slow')).toBeNull()
    expect(await keysOf(given(), 'a/')).toEqual([])
    finish()
    await writing
    expect(await textOf(given(), 'a/slow')).toBe('first half, second half')
  })
}

function readTests(given: Given): void {
  it('say null for what is missing', async () => {
    expect(await given().read('a/none')).toBeNull()
    expect(await given().stat('a/none')).toBeNull()
    await given().write('a/b/c', chunks('x'), info)
    expect(await given().read('a/b')).toBeNull()
    expect(await given().stat('a/b')).toBeNull()
  })

  it('tell key, size and time', async () => {
    await given().write('a/file', chunks('12345'), info)
    const object = await given().stat('a/file')
    expect(object).toMatchObject({ key: 'a/file', size: 5 })
    expect(Number.isSafeInteger(object?.modifiedAt)).toBe(true)
  })

  it('give a range with both ends, and the size of the whole', async () => {
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

  it('let a body be cancelled', async () => {
    await given().write('a/file', chunks('x'.repeat(200_000)), info)
    const stored = await given().read('a/file')
    await stored?.body.cancel()
    expect(await given().remove('a/file')).toBe(true)
  })
}

function copyTests(given: Given): void {
  it('copies, leaves the source alone, and can be repeated', async () => {
    await given().write('tmp/a', chunks('bytes'), info)
    expect(await given().copy('tmp/a', 'kept/2026/a')).toBe(true)
    expect(await given().copy('tmp/a', 'kept/2026/a')).toBe(true)
    expect(await textOf(given(), 'tmp/a')).toBe('bytes')
    await given().remove('tmp/a')
    expect(await textOf(given(), 'kept/2026/a')).toBe('bytes')
  })

  it('may run twice at once', async () => {
    await given().write('tmp/a', chunks('bytes'), info)
    const copies = Array.from({ length: 5 }, () => given().copy('tmp/a', 'kept/a'))
    expect(await Promise.all(copies)).toEqual([true, true, true, true, true])
    expect(await textOf(given(), 'kept/a')).toBe('bytes')
  })

  it('says false when the source is missing, also when the target is there', async () => {
    expect(await given().copy('tmp/none', 'kept/a')).toBe(false)
    expect(await given().stat('kept/a')).toBeNull()
    await given().write('kept/a', chunks('bytes'), info)
    expect(await given().copy('tmp/none', 'kept/a')).toBe(false)
  })

  it('does not replace another object', async () => {
    await given().write('tmp/a', chunks('bytes'), info)
    await given().write('kept/a', chunks('other bytes'), info)
    await expect(given().copy('tmp/a', 'kept/a')).rejects.toMatchObject({ code: 'storage_conflict' })
    expect(await textOf(given(), 'kept/a')).toBe('other bytes')
  })
}

function removeTests(given: Given): void {
  it('removes, and says false from then on', async () => {
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

  it('frees the key', async () => {
    await given().write('a/file', chunks('one'), info)
    await given().remove('a/file')
    await given().write('a/file', chunks('two'), info)
    expect(await textOf(given(), 'a/file')).toBe('two')
  })
}

function listTests(given: Given, listed: number): void {
  it('lists what is under a prefix, at every depth, and nothing beside it', async () => {
    for (const key of ['a/1', 'a/b/2', 'a/b/c/3', 'ab/4', 'a-b/5', 'b/6']) await given().write(key, chunks(key), info)
    expect(await keysOf(given(), 'a/')).toEqual(['a/1', 'a/b/2', 'a/b/c/3'])
    expect(await keysOf(given(), 'a/b/')).toEqual(['a/b/2', 'a/b/c/3'])
    expect(await keysOf(given(), 'none/')).toEqual([])
  })

  it('tells the same as stat', async () => {
    await given().write('a/file', chunks('12345'), info)
    for await (const object of given().list('a/')) expect(object).toEqual(await given().stat('a/file'))
  })

  it('lists all of many', async () => {
    const keys = Array.from({ length: listed }, (_, index) => `a/${String(index).padStart(6, '0')}`)
    await Promise.all(keys.map((key) => given().write(key, chunks('x'), info)))
    expect(await keysOf(given(), 'a/')).toEqual(keys)
  })

  it('lets objects be removed meanwhile', async () => {
    const keys = ['a/1', 'a/2', 'a/3']
    for (const key of keys) await given().write(key, chunks('x'), info)
    for await (const { key } of given().list('a/')) await given().remove(key)
    expect(await keysOf(given(), 'a/')).toEqual([])
  })
}

function keyTests(given: Given): void {
  it('may have letters of every script', async () => {
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

  it('may be as long as promised', async () => {
    const key = `${'f'.repeat(240)}/${'ф'.repeat(120)}/${'n'.repeat(240)}`
    await given().write(key, chunks('x'), info)
    expect(await textOf(given(), key)).toBe('x')
  })

  it.each(INVALID_KEYS.map((key) => [key]))('may not be %j', async (key) => {
    const refusal = { code: 'invalid_storage_key' }
    await expect(given().write(key, chunks('x'), info)).rejects.toMatchObject(refusal)
    await expect(given().read(key)).rejects.toMatchObject(refusal)
    await expect(given().stat(key)).rejects.toMatchObject(refusal)
    await expect(given().copy(key, 'a')).rejects.toMatchObject(refusal)
    await expect(given().copy('a', key)).rejects.toMatchObject(refusal)
    await expect(given().remove(key)).rejects.toMatchObject(refusal)
    await expect(keysOf(given(), `${key}/`)).rejects.toMatchObject(refusal)
  })

  it('are asked for with a final slash in list', async () => {
    await expect(keysOf(given(), 'a')).rejects.toMatchObject({ code: 'invalid_storage_key' })
  })
}

async function* chunks(...parts: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield typeof part === 'string' ? Buffer.from(part) : part
}

async function* failing(reason: Error): AsyncGenerator<Uint8Array> {
  yield Buffer.from('some bytes')
  throw reason
}

/** A body that gives its second chunk only after `finish`. */
function held(first: string, second: string): { body: AsyncIterable<Uint8Array>; finish: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  async function* body(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(first)
    await promise
    yield Buffer.from(second)
  }
  return { body: body(), finish: resolve }
}

async function bytesOf(storage: Storage, key: string): Promise<ArrayBuffer> {
  const stored = await storage.read(key)
  if (!stored) throw new Error(`There is nothing at ${key}`)
  return new Response(stored.body).arrayBuffer()
}

async function textOf(storage: Storage, key: string): Promise<string> {
  return Buffer.from(await bytesOf(storage, key)).toString()
}

async function keysOf(storage: Storage, prefix: string): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of storage.list(prefix)) keys.push(key)
  return keys.sort()
}
