import { QuillgateError } from '@quillgate/http'

/** What `write` and `copy` reject with when the key is taken by something else. */
export function storageConflict(key: string): QuillgateError {
  return new QuillgateError('storage_conflict', 409, `There is already an object at ${key}.`)
}

/** What every method rejects with when the storage itself fails. @param cause the reason, for the log */
export function storageFailed(cause: unknown): QuillgateError {
  return new QuillgateError('storage_failed', 503, 'The storage cannot be used at the moment: try again later.', {
    cause,
  })
}
