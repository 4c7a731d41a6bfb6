import {
  type CreateError,
  defineErrors,
  type ErrorTable,
  isQuillgateError,
  type QuillgateError,
} from '@quillgate/server/core'

/** All error codes of storages. The table in the guide is generated from this object. */
export const STORAGE_ERRORS = {
  storage_failed: { status: 503, when: 'the storage failed: the log has the path and the reason' },
  storage_conflict: { status: 409, when: 'another object has this key' },
  invalid_storage_key: {
    status: 400,
    when: 'the storage key is invalid: the message describes a valid key',
  },
} as const satisfies ErrorTable

/** An error code of storages. */
export type StorageErrorCode = keyof typeof STORAGE_ERRORS

/** Creates an error of a storage. */
export const storageError: CreateError<StorageErrorCode> = defineErrors(STORAGE_ERRORS)

/** Creates the error of `write` and `copy` for a key that belongs to another object. */
export function storageConflict(key: string): QuillgateError {
  return storageError(
    'storage_conflict',
    `Another object already has the key ${key}. Use another key.`,
  )
}

/**
 * Creates the error for a storage that fails. The `message` of the error contains the reason, for
 * example `EACCES: permission denied, open '/srv/media/a'`. @param detail the message for clients
 */
export function storageFailed(
  cause: unknown,
  detail = 'The storage cannot be used now. Try again later.',
): QuillgateError {
  return storageError('storage_failed', detail, {
    cause,
    internal: `The storage cannot be used: ${reasonOf(cause)}.`,
  })
}

/** Returns a `QuillgateError` unchanged. Any other error becomes `storage_failed`. */
export function toStorageError(error: unknown): QuillgateError {
  return isQuillgateError(error) ? error : storageFailed(error)
}

/** Runs an operation of a storage backend. Errors of the operation become `storage_failed`. */
export async function io<Result>(step: () => Promise<Result>): Promise<Result> {
  try {
    return await step()
  } catch (error) {
    throw toStorageError(error)
  }
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  const { name, message } = cause
  // The name of an error of the AWS SDK contains the reason.
  const reason = name === 'Error' || message.includes(name) ? message : `${name}: ${message}`
  const inner =
    cause.cause instanceof Error && cause.cause.message !== '' ? ` (${cause.cause.message})` : ''
  return `${reason.replace(/\.$/, '')}${inner}`
}
