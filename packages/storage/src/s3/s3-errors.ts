import { isQuillgateError } from '@quillgate/server/core'

interface ServiceError {
  readonly name?: string
  readonly $metadata?: { readonly httpStatusCode?: number }
}

/** HTTP status with which the service refused a request; undefined when it gave no answer. */
export function statusOf(error: unknown): number | undefined {
  return serviceErrorOf(error)?.$metadata?.httpStatusCode
}

/** True when the object is not there. A bucket that is not there is another matter. */
export function isMissing(error: unknown): boolean {
  return ['NoSuchKey', 'NotFound'].includes(serviceErrorOf(error)?.name ?? '')
}

/** True when the key was taken, so that the condition `If-None-Match: *` did not hold. */
export function isTaken(error: unknown): boolean {
  return statusOf(error) === 412
}

/** The service's own error, which `storage_failed` carries as its cause. */
function serviceErrorOf(error: unknown): ServiceError | undefined {
  const cause = isQuillgateError(error) ? error.cause : error
  return typeof cause === 'object' && cause !== null ? cause : undefined
}
