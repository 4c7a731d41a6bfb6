/** The errors of a package by their codes, which are stable and in snake_case. */
export interface ErrorTable {
  readonly [code: string]: {
    /** HTTP status, 400 to 599. */
    readonly status: number
    /** The title of the problem document (RFC 9457 §3.1.3). @default the code in words */
    readonly title?: string
    /** When the error occurs and what to do, as Markdown. Links are relative to `apps/docs`. */
    readonly when: string
  }
}

/** Every error code of this package. The tables in the guide are generated from this object. */
export const SERVER_ERRORS = {
  authentication_required: {
    status: 401,
    when: 'nobody is signed in, or the token is not accepted: sign in',
  },
  csrf_failed: {
    status: 403,
    title: 'CSRF check failed',
    when:
      'the CSRF token or the origin is wrong or missing: [the log names the ' +
      'cause](behind-a-proxy.md#what-is-logged)',
  },
  not_found: { status: 404, when: 'there is no such endpoint, file or page' },
  method_not_allowed: {
    status: 405,
    when: 'the endpoint does not support this method: the `allow` header lists its methods',
  },
  malformed_request: { status: 400, when: 'the request line or a header cannot be read' },
  malformed_json: { status: 400, title: 'Malformed JSON', when: 'the body is not JSON in UTF-8' },
  malformed_multipart: {
    status: 400,
    title: 'Malformed form',
    when: 'the form is not valid `multipart/form-data`, or ended early',
  },
  invalid_request: {
    status: 400,
    when:
      'a value is missing or wrong: see `errors`; or a JSON body has more than 16 levels, or ' +
      'more than 1,000 brackets, commas and colons',
  },
  unsupported_media_type: {
    status: 415,
    when:
      'the request has a wrong content type; or an uploaded file is a damaged image, has a type ' +
      'that is not allowed, or has content of another type',
  },
  body_too_large: { status: 413, when: 'the body exceeds the limit of the endpoint' },
  field_too_large: { status: 413, when: 'a field of a form exceeds its limit' },
  too_many_parts: { status: 413, when: 'a form has too many fields or files' },
  file_too_large: { status: 413, when: 'a file is larger than `maxUploadSize`' },
  rate_limited: {
    status: 429,
    when: 'there were too many requests: wait',
  },
  body_already_read: {
    status: 500,
    when: 'a body parser read the request first: mount Quillgate before the parser',
  },
  client_not_built: {
    status: 500,
    when: 'the browser files are missing: keep the packages in `node_modules`',
  },
  configuration_error: {
    status: 500,
    when: 'a setting or option is wrong: correct the option that the message names',
  },
  driver_missing: {
    status: 500,
    title: 'Package missing',
    when: 'an optional package is not installed: install the package that the message names',
  },
  invalid_user: {
    status: 500,
    when: 'the user, owner or actor that the application passed has no usable `id`',
  },
  unknown_setting: {
    status: 500,
    when: '`getSetting` was called with a wrong name',
  },
  unknown_endpoint: {
    status: 500,
    when: '`url` was called with a wrong name',
  },
  internal_error: { status: 500, when: 'an unexpected error occurred: see the server log' },
  database_unavailable: {
    status: 503,
    when: 'the database cannot be reached or used: wait, and see the server log',
  },
  database_busy: {
    status: 503,
    when: 'a database lock was not released in time: wait',
  },
  commit_unknown: {
    status: 503,
    when: 'the connection broke during COMMIT: check whether the change was made',
  },
  migration_failed: { status: 500, when: 'a migration failed: see `cause`' },
  transaction_misuse: {
    status: 500,
    when:
      'the database was used inside its own transaction: use the `trx` that your function ' +
      'receives',
  },
  invalid_text: { status: 400, when: 'a text contains U+0000' },
  invalid_parameter: {
    status: 500,
    when: 'a parameter of an SQL statement has a [type that is not allowed](database.md#rules-for-all-engines)',
  },
  invalid_number: { status: 500, when: 'a column for numbers contains another value' },
  invalid_boolean: { status: 500, when: 'a column for booleans contains another value' },
} as const satisfies ErrorTable

/** An error code of this package. */
export type ServerErrorCode = keyof typeof SERVER_ERRORS
