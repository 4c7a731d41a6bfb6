import { isQuillgateError } from '@quillgate/server/core'

interface ServiceError {
  readonly name?: string
  readonly $metadata?: { readonly httpStatusCode?: number }
}

/** Returns the HTTP status of a rejected request; undefined if there was no response. */
export function statusOf(error: unknown): number | undefined {
  return serviceErrorOf(error)?.$metadata?.httpStatusCode
}

/** Whether an error means that the object is missing. A missing bucket has another error. */
export function isMissing(error: unknown): boolean {
  return ['NoSuchKey', 'NotFound'].includes(serviceErrorOf(error)?.name ?? '')
}

/** Whether an error means that the key was taken: the condition `If-None-Match: *` failed. */
export function isTaken(error: unknown): boolean {
  return statusOf(error) === 412
}

/** Returns the error of the service, which is the cause of `storage_failed`. */
function serviceErrorOf(error: unknown): ServiceError | undefined {
  const cause = isQuillgateError(error) ? error.cause : error
  return typeof cause === 'object' && cause !== null ? cause : undefined
}
