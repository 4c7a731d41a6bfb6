import { setTimeout as sleep } from 'node:timers/promises'
import { bodyAlreadyRead, bodyOf } from './body.ts'

/** The bytes of a request's body. `return` stops reading, also while a read is waiting. */
export type BodySource = Required<Pick<AsyncIterator<Uint8Array, undefined>, 'next' | 'return'>>

/** The sources of bodies that adapters have created. */
const sources = new WeakMap<ReadableStream<Uint8Array>, BodySource>()

/** Notes where a web stream gets its chunks from. */
export function setBodySource(body: ReadableStream<Uint8Array>, source: BodySource): void {
  sources.set(body, source)
}

/**
 * Starts to read the body of a request. The body cannot be read again. If an adapter created the
 * body, its source is read directly: a web stream in between would cost more than hashing the
 * bytes.
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
 * Milliseconds before a stream is cancelled. undici continues to fill the stream of a form (`new
 * Request(url, { body: form })`) after it was cancelled, and no code can handle the rejection.
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
