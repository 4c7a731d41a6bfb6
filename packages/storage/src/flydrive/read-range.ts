import type { Readable } from 'node:stream'
import type { ByteRange } from '../storage.ts'
import { storageFailed } from '../storage-errors.ts'

/**
 * Streams a range of a source, which must not be empty or exceed the source. It reads no further.
 */
export function readRange(source: Readable, { start, end }: ByteRange): ReadableStream<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
  let at = 0
  const next = async (): Promise<Uint8Array> => {
    for (;;) {
      const { value, done } = await chunks.next()
      if (done) throw new Error(`The disk gave ${at} bytes of at least ${end + 1}`)
      const first = at
      at += value.byteLength
      if (at > start) return value.subarray(Math.max(0, start - first), end + 1 - first)
    }
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          controller.enqueue(await next())
        } catch (error) {
          throw storageFailed(error)
        }
        if (at <= end) return
        source.destroy()
        controller.close()
      },
      cancel() {
        source.destroy()
      },
    },
    { highWaterMark: 0 },
  )
}
