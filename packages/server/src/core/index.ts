import * as checks from './checks.ts'

export { combineRuns } from './combine-runs.ts'
export type { ErrorTable, ServerErrorCode } from './error-codes.ts'
export {
  ConfigurationError,
  type CreateError,
  defineErrors,
  type FieldError,
  invalidRequest,
  isQuillgateError,
  QuillgateError,
  type QuillgateErrorOptions,
  serverError,
} from './errors.ts'
export { escapeHtml } from './escape-html.ts'
export { importError } from './import-error.ts'
export { jsonResponse } from './json.ts'
export { type Logger, logOnce } from './logger.ts'
export { createReady, type Ready } from './ready.ts'
export {
  type Check,
  type Field,
  field,
  getSetting,
  type Input,
  optional,
  Problem,
  parse,
  type RequiredField,
  required,
  type Schema,
  type Values,
} from './schema.ts'
export { snakeCase } from './snake-case.ts'
export { isStorableText } from './storable-text.ts'
export { toUserId, type UserId } from './user-id.ts'
export { withTimeout } from './with-timeout.ts'
/** The checks of settings and options, for example `field(checks.whole(1), 10)`. */
export { checks }
