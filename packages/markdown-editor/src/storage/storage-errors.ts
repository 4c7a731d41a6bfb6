import { QuillgateError } from '@quillgate/server/core'

/** The error of `write` and `copy` when the key belongs to another object. */
export function storageConflict(key: string): QuillgateError {
  return new QuillgateError('storage_conflict', 409, `There is already an object at ${key}.`)
}

/**
 * The error of every method when the storage itself fails. `detail` is for clients; `message` says the reason, for
 * example `EACCES: permission denied, open '/srv/media/a'`.
 */
export function storageFailed(cause: unknown): QuillgateError {
  return new QuillgateError(
    'storage_failed',
    503,
    'The storage cannot be used at the moment: try again later.',
    {
      cause,
      internal: `The storage cannot be used: ${reasonOf(cause)}.`,
    },
  )
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  const { name, message } = cause
  // The AWS SDK says in the name what is wrong, and little in the message.
  const reason = name === 'Error' || message.includes(name) ? message : `${name}: ${message}`
  const inner =
    cause.cause instanceof Error && cause.cause.message !== '' ? ` (${cause.cause.message})` : ''
  return `${reason.replace(/\.$/, '')}${inner}`
}
