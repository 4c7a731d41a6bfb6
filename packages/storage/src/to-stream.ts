import { io } from './storage-errors.ts'

/** Returns a stream that requests each chunk on demand. Errors become `storage_failed`. */
export function toStream(
  chunks: AsyncIterator<Uint8Array>,
  cancel: () => void,
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await io(() => chunks.next())
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel,
    },
    { highWaterMark: 0 },
  )
}
