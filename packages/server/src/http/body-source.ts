import { setTimeout as sleep } from 'node:timers/promises'
import { bodyOf } from './body.ts'

/** The chunks of a body. `return` stops reading, even while `next` is waiting. */
export type BodySource = Required<Pick<AsyncIterator<Uint8Array, undefined>, 'next' | 'return'>>

// The adapter for `node:http` makes a web stream from the request. For a small upload, reading that
// stream takes longer than writing the file, so the form parser reads the Node.js request directly.
const sources = new WeakMap<ReadableStream<Uint8Array>, BodySource>()

/** Registers the source of a web stream, which `readBody` reads instead of the stream. */
export function setBodySource(
  stream: ReadableStream<Uint8Array>,
  source: BodySource,
): ReadableStream<Uint8Array> {
  sources.set(stream, source)
  return stream
}

/** Locks the body of a request and returns its chunks. @throws 500 `body_already_read` */
export function readBody(request: Request): BodySource {
  const stream = bodyOf(request)
  const reader = stream.getReader()
  return sources.get(stream) ?? sourceOf(reader)
}

// Milliseconds to wait before the body is cancelled. If a test passes a `FormData` as the body of a
// `Request`, undici still writes to the cancelled body. That write rejects, and no code can handle
// the rejection.
const BEFORE_CANCEL = 50

function sourceOf(reader: ReadableStreamDefaultReader<Uint8Array>): BodySource {
  const cancel = (): Promise<void> => reader.cancel().catch(() => {})
  return {
    async next() {
      const { done, value } = await reader.read()
      return done ? { done, value: undefined } : { done, value }
    },
    async return() {
      void sleep(BEFORE_CANCEL, undefined, { ref: false }).then(cancel)
      return { done: true, value: undefined }
    },
  }
}
