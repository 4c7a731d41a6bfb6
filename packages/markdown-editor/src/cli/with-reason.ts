import { isQuillgateError, QuillgateError } from '@quillgate/http'

/**
 * What is kept from clients is what an operator needs: of a storage or database that cannot be used, for example the
 * name of a bucket that does not exist.
 */
export function withReason(error: unknown): unknown {
  if (!isQuillgateError(error) || !(error.cause instanceof Error)) return error
  const { name, message } = error.cause
  // The AWS SDK says in the name what is wrong, and little in the message.
  const reason = name === 'Error' || message.includes(name) ? message : `${name}: ${message}`
  return new QuillgateError(error.code, error.status, `${error.message} (${reason})`, { cause: error.cause })
}
