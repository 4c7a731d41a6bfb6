import type { Storage } from '../storage.ts'

/** A function that returns the storage of the current test. */
export type Given = () => Storage

/** The argument `info` for tests in which the media type does not matter. */
export const info = { type: 'text/plain' } as const

/** Returns a body of the given chunks. */
export async function* chunks(
  ...parts: readonly (string | Uint8Array)[]
): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield typeof part === 'string' ? Buffer.from(part) : part
}

/** Returns a body that fails after `size` bytes. */
export async function* failing(reason: Error, size = 10): AsyncGenerator<Uint8Array> {
  yield* pieces(size)
  throw reason
}

/** Returns a body whose second half waits for `finish`. */
export function held(
  first: string,
  second: string,
): { body: AsyncIterable<Uint8Array>; finish: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  async function* body(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(first)
    await promise
    yield Buffer.from(second)
  }
  return { body: body(), finish: resolve }
}

/** Returns a body in chunks of 64 KiB. Each kilobyte is different, and differs for each `salt`. */
export function* pieces(size: number, salt = 0): Generator<Uint8Array> {
  for (let start = 0; start < size; start += PIECE)
    yield piece(start, Math.min(PIECE, size - start), salt)
}

const PIECE = 64 * 1024

function piece(start: number, length: number, salt: number): Buffer {
  const bytes = Buffer.alloc(length, salt)
  for (let at = 0; at + 4 <= length; at += 1024) bytes.writeUInt32LE(start + at, at)
  return bytes
}

/** Returns the bytes of an object. Throws if it is missing. */
export async function bytesOf(storage: Storage, key: string): Promise<ArrayBuffer> {
  const stored = await storage.read(key)
  if (!stored) throw new Error(`There is nothing at ${key}`)
  return new Response(stored.body).arrayBuffer()
}

/** Returns the text of an object. Throws if it is missing. */
export async function textOf(storage: Storage, key: string): Promise<string> {
  return Buffer.from(await bytesOf(storage, key)).toString()
}

/** Returns the keys under a prefix, sorted. */
export async function keysOf(storage: Storage, prefix: string): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of storage.list(prefix)) keys.push(key)
  return keys.sort()
}
