import type { Storage } from '@quillgate/storage'
import { expect } from 'vitest'
import { chunks, info, keysOf } from '../src/testing/storage-bodies.ts'

export const failed = { code: 'storage_failed', status: 503, cause: expect.anything() }

export async function expectAllToFail(storage: Storage): Promise<void> {
  const calls = [
    storage.write('a/other', chunks('other'), info),
    storage.read('a/file'),
    storage.stat('a/file'),
    storage.copy('a/file', 'b/file'),
    storage.remove('a/file'),
    keysOf(storage, 'a/'),
  ]
  for (const result of await Promise.allSettled(calls)) {
    expect(result).toMatchObject({ status: 'rejected', reason: failed })
  }
}
