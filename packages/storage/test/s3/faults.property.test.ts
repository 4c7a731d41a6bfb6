import { parse } from '@quillgate/server/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Storage } from '../../src/index.ts'
import { S3Bucket } from '../../src/s3/s3-bucket.ts'
import { S3_OPTIONS } from '../../src/s3/s3-options.ts'
import { writeObject } from '../../src/s3/write-object.ts'
import { info, keysOf, textOf } from '../../src/testing/storage-bodies.ts'
import { type Fault, FaultyS3 } from './faulty-s3.ts'
import type { S3Operation } from './s3-wire.ts'

interface Step {
  readonly action: 'write' | 'copy' | 'remove' | 'read' | 'list'
  readonly key: string
  readonly other: string
  readonly text: string
  readonly faults: readonly (readonly [S3Operation, (Fault | null)[]])[]
}

const keys = fc.constantFrom('a/1', 'a/2', 'a/3')
const operations: readonly S3Operation[] = [
  ...([
    'HeadObject',
    'GetObject',
    'PutObject',
    'CopyObject',
    'DeleteObject',
    'ListObjectsV2',
  ] as const),
  ...([
    'CreateMultipartUpload',
    'UploadPart',
    'CompleteMultipartUpload',
    'AbortMultipartUpload',
  ] as const),
]
const faults = fc.constantFrom<Fault | null>(null, 'error', 'drop', 'lost', 'torn')
const failures = fc.oneof(
  fc.tuple(fc.constantFrom(...operations), fc.array(faults, { maxLength: 4 })),
  fc.tuple(
    fc.constantFrom<S3Operation>('CopyObject', 'CompleteMultipartUpload'),
    fc.array(fc.constant<Fault>('error-in-200'), { maxLength: 4 }),
  ),
)

const steps: fc.Arbitrary<Step> = fc.record({
  action: fc.constantFrom('write', 'write', 'write', 'copy', 'copy', 'remove', 'read', 'list'),
  key: keys,
  other: keys,
  // A part has ten bytes. Longer texts are stored in parts.
  text: fc.nat(35).map((size) => 'x'.repeat(size)),
  faults: fc.array(failures, { maxLength: 4 }),
})

type Contents = ReadonlyMap<string, string>

/** A storage with small parts, on a service whose requests have the given faults. */
class World {
  readonly #service: FaultyS3
  readonly #storage: Storage
  #writes = 0

  constructor(service: FaultyS3) {
    this.#service = service
    const options = { bucket: 'bucket', endpoint: service.endpoint, timeout: 30 }
    const credentials = { accessKeyId: 'key', secretAccessKey: 'secret' }
    const bucket = new S3Bucket(parse(S3_OPTIONS, { ...options, credentials }))
    const storage = service.storage({ clock: () => Date.now() + 48 * 60 * 60 * 1000 })
    this.#storage = {
      write: (key, body) => writeObject(bucket, { key, partSize: 10, ...info }, body),
      read: (key) => storage.read(key),
      stat: (key) => storage.stat(key),
      copy: (from, to) => storage.copy(from, to),
      remove: (key) => storage.remove(key),
      list: (prefix) => storage.list(prefix),
      close: async () => void (await Promise.all([storage.close(), bucket.requests.close()])),
    }
  }

  contents(): Contents {
    return new Map(
      [...this.#service.memory.objects].map(([key, { bytes }]) => [key, bytes.toString()]),
    )
  }

  async run(step: Step): Promise<void> {
    const before = this.contents()
    const text = `${++this.#writes}:${step.text}`
    for (const [operation, list] of step.faults) this.#service.next(operation, ...list)
    const result = await this.#act(step, text).then(
      (value) => ({ value }),
      (error: { code?: string }) => ({ code: error.code }),
    )
    this.#service.heal()
    const after = this.contents()
    const wanted = expected(step, text, before, result)
    expect(wanted.map((contents) => [...contents].sort())).toContainEqual([...after].sort())
  }

  /** Checks that all stored objects can be listed, read and removed, and nothing else is left. */
  async end(): Promise<void> {
    expect(await keysOf(this.#storage, 'a/')).toEqual([...this.contents().keys()].sort())
    expect(this.#service.memory.uploads.size).toBe(0)
    for (const [key, text] of this.contents()) {
      expect(await textOf(this.#storage, key)).toBe(text)
      expect(await this.#storage.remove(key)).toBe(true)
      expect(await this.#storage.remove(key)).toBe(false)
    }
    await this.#storage.close?.()
    await this.#service.close()
  }

  #act({ action, key, other }: Step, text: string): Promise<unknown> {
    switch (action) {
      case 'write':
        return this.#storage.write(key, ReadableStream.from([Buffer.from(text)]), info)
      case 'copy':
        return this.#storage.copy(key, other)
      case 'remove':
        return this.#storage.remove(key)
      case 'list':
        return keysOf(this.#storage, 'a/')
      case 'read':
        return this.#storage.read(key).then((stored) => stored && new Response(stored.body).text())
    }
  }
}

/** Returns the contents that a correct storage may have after an operation with this result. */
function expected(
  { action, key, other }: Step,
  text: string,
  before: Contents,
  result: { value?: unknown; code?: string | undefined },
): Contents[] {
  const done = new Map(before)
  if (action === 'write' && !before.has(key)) done.set(key, text)
  if (action === 'copy' && !before.has(other) && before.has(key))
    done.set(other, before.get(key) ?? '')
  if (action === 'remove') done.delete(key)
  if (result.code === 'storage_failed') return [before, done]
  if (result.code !== undefined) {
    expect(result.code).toBe('storage_conflict')
    expect(before.has(action === 'write' ? key : other)).toBe(true)
    return [before]
  }
  if (action === 'write') expect(before.has(key)).toBe(false)
  else if (action === 'list') expect(result.value).toEqual([...before.keys()].sort())
  else if (action === 'read') expect(result.value).toBe(before.get(key) ?? null)
  else expect(result.value).toBe(before.has(key))
  return [done]
}

describe('s3 under any faults', () => {
  it('returns correct results, shows only whole objects, and leaves nothing behind', {
    timeout: 120_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 1, maxLength: 10 }), async (list) => {
        const world = new World(await FaultyS3.start())
        for (const step of list) await world.run(step)
        await world.end()
      }),
      { numRuns: 40 },
    )
  })
})
