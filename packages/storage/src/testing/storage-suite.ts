import { afterEach, beforeEach, describe } from 'vitest'
import type { Storage } from '../storage.ts'
import { copyTests, removeTests } from './storage-suite-change.ts'
import { keyTests } from './storage-suite-keys.ts'
import { listTests, readTests } from './storage-suite-read.ts'
import { signedUrlTests, unsignedTests } from './storage-suite-signed-url.ts'
import { writeTests } from './storage-suite-write.ts'

/** A storage that a test has opened. */
export interface OpenStorage {
  readonly storage: Storage
  /** Called after the test, for example to remove its objects. */
  close?(): Promise<void>
}

/** Options of {@link storageSuite}. */
export interface StorageSuiteOptions {
  /**
   * The number of objects in the test of long listings. It must exceed a page of the service.
   * @default 40
   */
  readonly listed?: number
  /**
   * The size of large bodies in bytes. It must exceed the size that the storage sends in one
   * request.
   * @default 1,000,000
   */
  readonly large?: number
  /**
   * If true, the storage has `signedUrl`, and the tests can reach its service with `fetch`. Use
   * `elsewhere` if other tests cover `signedUrl`.
   * @default false
   */
  readonly signsUrls?: boolean | 'elsewhere'
}

/**
 * Defines the tests that every storage must pass. Call this function in a Vitest file. Each test
 * opens its own storage.
 *
 * @param name the name of the group of tests
 * @param open opens an empty storage
 * @example
 * storageSuite('memoryStorage', async () => ({ storage: memoryStorage() }))
 */
export function storageSuite(
  name: string,
  open: () => Promise<OpenStorage>,
  { listed = 40, large = 1_000_000, signsUrls = false }: StorageSuiteOptions = {},
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
    describe('write', () => writeTests(given, large))
    describe('read and stat', () => readTests(given))
    describe('copy', () => copyTests(given, large))
    describe('remove', () => removeTests(given))
    describe('list', () => listTests(given, listed))
    describe('keys', () => keyTests(given))
    if (signsUrls !== 'elsewhere') {
      describe('signedUrl', () => (signsUrls ? signedUrlTests(given) : unsignedTests(given)))
    }
  })
}
