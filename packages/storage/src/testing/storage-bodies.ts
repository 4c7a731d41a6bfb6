import type { Storage } from '../storage.ts'

/** The storage of the test that runs. */
export type Given = () => Storage

/** For writes whose media type does not matter. */
export const info = { type: 'text/plain' } as const

/** A body of these chunks. */
export async function* chunks(
  ...parts: readonly (string | Uint8Array)[]
): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield typeof part === 'string' ? Buffer.from(part) : part
}

/** A body that fails after its first bytes. @param size how many bytes come before */
export async function* failing(reason: Error, size = 10): AsyncGenerator<Uint8Array> {
  yield* pieces(size)
  throw reason
}

/** A body whose second half waits for `finish`. */
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

/** A body of many bytes, no two kilobytes alike, in the pieces that sockets read. */
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

/** The bytes of an object that must be there. */
export async function bytesOf(storage: Storage, key: string): Promise<ArrayBuffer> {
  const stored = await storage.read(key)
  if (!stored) throw new Error(`There is nothing at ${key}`)
  return new Response(stored.body).arrayBuffer()
}

/** The text of an object that must be there. */
export async function textOf(storage: Storage, key: string): Promise<string> {
  return Buffer.from(await bytesOf(storage, key)).toString()
}

/** The keys under a prefix, sorted. */
export async function keysOf(storage: Storage, prefix: string): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of storage.list(prefix)) keys.push(key)
  return keys.sort()
}
