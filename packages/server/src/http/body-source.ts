import { setTimeout as sleep } from 'node:timers/promises'
import { bodyAlreadyRead, bodyOf } from './body.ts'

/** The bytes of a request's body. `return` stops reading, also while a read is waiting. */
export type BodySource = Required<Pick<AsyncIterator<Uint8Array, undefined>, 'next' | 'return'>>

/** What is behind the bodies that adapters have made. */
const sources = new WeakMap<ReadableStream<Uint8Array>, BodySource>()

/** Notes where a web stream gets its chunks from. */
export function setBodySource(body: ReadableStream<Uint8Array>, source: BodySource): void {
  sources.set(body, source)
}

/**
 * Begins to read the body of a request; nobody else can do so any more. Where an adapter made it, its source is read:
 * the detour over a web stream would cost more than hashing the bytes.
 *
 * @throws QuillgateError 500 `body_already_read`
 */
export function readBody(request: Request): BodySource {
  const body = bodyOf(request)
  if (body.locked) throw bodyAlreadyRead()
  const reader = body.getReader()
  return sources.get(body) ?? fromReader(reader)
}

/**
 * Milliseconds before a stream is cancelled. A form that undici itself holds (`new Request(url, { body: form })`) goes on
 * to fill its stream, cancelled or not, and the rejection that this gives nobody can handle.
 */
const BEFORE_CANCEL = 50

function fromReader(reader: ReadableStreamDefaultReader<Uint8Array>): BodySource {
  return {
    async next() {
      const { done, value } = await reader.read()
      return done ? { done, value: undefined } : { done, value }
    },
    async return() {
      void sleep(BEFORE_CANCEL, undefined, { ref: false }).then(() =>
        reader.cancel().catch(() => {}),
      )
      return { done: true, value: undefined }
    },
  }
}
