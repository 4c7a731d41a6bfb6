import { serverError } from '../core/errors.ts'
import { bodyTooLarge, mediaType, type ReadJsonOptions, readBytes, readJson } from './body.ts'
import {
  type JsonSchema,
  type Properties,
  type PropertyRules,
  parseProperties,
  propertiesSchema,
} from './properties.ts'

/** The body of one request, read at most once. */
export interface OpenBody<Value> {
  /** Returns the first field of a form if it is the CSRF token, otherwise null. */
  csrfToken?(): Promise<string | null>
  read(): Promise<Value>
  /** Stops reading. Called after the request, even if the body was not read. */
  close?(): Promise<void>
}

/** A kind of request body: how it is read, and how the OpenAPI document describes it. */
export interface BodyKind<Value> {
  /** Schemas by content type. */
  readonly content: Readonly<Record<string, JsonSchema>>
  readonly isRequired: boolean
  /** The error codes that `read` throws. */
  readonly errors: readonly string[]
  open(request: Request): OpenBody<Value>
}

const MAX_PROPERTIES = 16_384 // In bytes. The largest valid body contains two tokens.
const MAX_FORM = 8192

/** The options of {@link jsonBody}. */
export interface JsonBodyOptions<Value> extends ReadJsonOptions {
  readonly schema: JsonSchema
  /** @throws QuillgateError 400 `invalid_request` for a wrong value */
  parse(value: unknown): Value
}

/** Returns the body kind for JSON. The option `parse` checks and converts the JSON value. */
export function jsonBody<Value>(options: JsonBodyOptions<Value>): BodyKind<Value> {
  const { schema, maxBytes, tooLarge = bodyTooLarge } = options
  return {
    content: { 'application/json': schema },
    isRequired: true,
    errors: [
      ...['invalid_request', 'malformed_json', 'unsupported_media_type', 'body_already_read'],
      tooLarge(maxBytes).code,
    ],
    open: (request) => ({ read: async () => options.parse(await readJson(request, options)) }),
  }
}

/** Returns the body kind for JSON objects up to 16 kB. With `isOptional`, no body means `{}`. */
export function propertiesBody<const Rules extends PropertyRules>(
  rules: Rules,
  { isOptional = false }: { readonly isOptional?: boolean } = {},
): BodyKind<Properties<Rules>> {
  const kind = jsonBody({
    schema: propertiesSchema(rules),
    maxBytes: MAX_PROPERTIES,
    parse: (value) => parseProperties(value, rules),
  })
  if (!isOptional) return kind
  return {
    ...kind,
    isRequired: false,
    open: (request) => ({
      read: async () =>
        (await hasBody(request)) ? kind.open(request).read() : parseProperties({}, rules),
    }),
  }
}

async function hasBody(request: Request): Promise<boolean> {
  if (request.headers.get('content-length') === '0' || request.body === null) return false
  if (request.headers.get('content-type') !== null) return true
  for await (const chunk of request.body) {
    if (chunk.byteLength > 0) {
      const detail = 'Send JSON with content-type: application/json.'
      throw serverError('unsupported_media_type', detail)
    }
  }
  return false
}

/** Returns the body kind for forms without files, of at most 8 kB. */
export function formBody(schema: JsonSchema): BodyKind<URLSearchParams> {
  return {
    content: { 'application/x-www-form-urlencoded': schema },
    isRequired: true,
    errors: ['unsupported_media_type', 'body_too_large', 'body_already_read'],
    open: (request) => ({ read: () => readForm(request) }),
  }
}

async function readForm(request: Request): Promise<URLSearchParams> {
  if (mediaType(request.headers.get('content-type')) !== 'application/x-www-form-urlencoded') {
    throw serverError('unsupported_media_type', 'Send a form as application/x-www-form-urlencoded.')
  }
  const bytes = await readBytes(request, { maxBytes: MAX_FORM })
  return new URLSearchParams(new TextDecoder().decode(bytes))
}
