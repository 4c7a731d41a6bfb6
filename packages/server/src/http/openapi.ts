import type { ErrorTable } from '../core/error-codes.ts'
import type { Answer, Definition, Endpoint, ErrorAnswer, Operation } from './endpoint.ts'
import { type JsonSchema, propertySchema } from './properties.ts'

/** An OpenAPI document (https://spec.openapis.org/oas/v3.1.1.html) that can be written as JSON. */
export interface OpenApiDocument {
  readonly openapi: '3.1.1'
  readonly info: JsonSchema
  readonly tags: readonly JsonSchema[]
  readonly paths: Readonly<Record<string, JsonSchema>>
  readonly components: JsonSchema
}

/** The endpoints of a component, for the OpenAPI document. */
export interface OpenApiSource {
  /** For example `trusted-devices:staff`. The text after the colon makes operation ids unique. */
  readonly name: string
  readonly endpoints?: readonly Endpoint[]
  /** Schemas that endpoints refer to as `#/components/schemas/<name>`. */
  readonly schemas?: Readonly<Record<string, JsonSchema>>
  readonly securitySchemes?: Readonly<Record<string, JsonSchema>>
}

const DESCRIPTION = `Errors are problem details (RFC 9457) with a stable \`code\`. The response is 404 \`not_found\` for an unknown path, 405
\`method_not_allowed\` with an \`allow\` header for an unsupported method, and 400 \`malformed_request\` if the request cannot be read.
The response to \`HEAD\` is the response to \`GET\` without the body. The checks run in this order: method, authentication, CSRF token, path, rate limit, query, body. Limits that depend on the body are checked last.`

/** Creates the OpenAPI document. The same sources always result in the same document. */
export function createOpenApi(sources: readonly OpenApiSource[]): OpenApiDocument {
  const tags = new Set<string>()
  const paths: Record<string, JsonSchema> = {}
  const schemas: Record<string, JsonSchema> = { Problem: PROBLEM }
  const securitySchemes: Record<string, JsonSchema> = {}
  for (const source of sources) {
    const unique = nameIn(source)
    Object.assign(schemas, source.schemas)
    for (const [name, scheme] of Object.entries(source.securitySchemes ?? {}))
      securitySchemes[unique(name)] = scheme
    for (const { method, path, operation } of source.endpoints ?? []) {
      if (!operation) continue
      tags.add(operation.tag)
      const template = templateOf(path)
      paths[template] = {
        ...(paths[template] ?? pathItem(template, operation.definition)),
        [method.toLowerCase()]: describe(operation, unique),
      }
    }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Quillgate',
      version: '1',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    tags: [...tags].map((name) => ({ name })),
    paths,
    components: { schemas, securitySchemes },
  }
}

// `getDevices` of the component `trusted-devices:staff` becomes `getDevices_staff`.
function nameIn({ name: component }: OpenApiSource): (name: string) => string {
  const [, instance] = component.split(':')
  return (name) => (instance === undefined ? name : `${name}_${instance}`)
}

// `/:uid` becomes `/{uid}`, and a final `*` becomes `{path}`.
function templateOf(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}').replace(/\*$/, '{path}')
}

function pathItem(template: string, { params = {} }: Definition): JsonSchema {
  const parameters = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: params[name]?.schema ?? { type: 'string' },
  }))
  return parameters.length > 0 ? { parameters } : {}
}

function describe(operation: Operation, unique: (name: string) => string): JsonSchema {
  const { tag, errors, definition } = operation
  const { id, summary, access, query = {}, body, answers, errorPage } = definition
  const { security } = access
  const parameters = [
    ...Object.entries(query).map(([name, rule]) => ({
      name,
      in: 'query',
      required: !rule.optional,
      schema: propertySchema(rule),
    })),
    ...(access.verifyCsrf ? [CSRF_TOKEN] : []),
  ]
  return {
    operationId: unique(id),
    summary,
    tags: [tag],
    ...(security ? { security: security.map((name) => ({ [unique(name)]: [] })) } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body
      ? { requestBody: { required: body.isRequired, content: contentOf(body.content) } }
      : {}),
    responses: {
      ...mapValues(answers, (answer) => toResponse(answer)),
      ...mapValues(byStatus(errors, errorsOf(definition)), (codes, status) =>
        toFailure(Number(status), codes, errorPage !== undefined),
      ),
    },
  }
}

// Returns the errors of an endpoint, except the errors for a wrong path or method.
function errorsOf(definition: Definition): readonly ErrorAnswer<string>[] {
  const { access, params = {}, query, rateLimit, body, errors = [], method } = definition
  return [
    ...(access.security?.length === 0 ? [] : ['authentication_required']),
    ...(access.errors ?? []),
    ...(access.verifyCsrf ? ['csrf_failed'] : []),
    ...Object.values(params).flatMap((param) => param.errors),
    ...(rateLimit ? ['rate_limited'] : []),
    ...(query ? ['invalid_request'] : []),
    ...(body?.errors ?? []),
    ...errors,
    ...['internal_error', 'invalid_user', 'database_unavailable', 'database_busy'],
    ...(method === 'GET' ? [] : ['commit_unknown']),
  ]
}

function byStatus(
  table: ErrorTable,
  errors: readonly ErrorAnswer<string>[],
): Readonly<Record<number, readonly string[]>> {
  const codes = new Map<number, Set<string>>()
  for (const error of errors) {
    const code = typeof error === 'string' ? error : error.code
    const status = typeof error === 'string' ? table[error]?.status : error.status
    if (status === undefined) throw new TypeError(`There is no error code ${code}.`)
    codes.set(status, (codes.get(status) ?? new Set()).add(code))
  }
  return Object.fromEntries(
    [...codes].sort(([a], [b]) => a - b).map(([status, names]) => [status, [...names].sort()]),
  )
}

function contentOf(schemas: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return mapValues(schemas, (schema) => ({ schema }))
}

function mapValues<Value, Result>(
  object: Readonly<Record<string, Value>>,
  map: (value: Value, key: string) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value, key)]))
}

function toResponse({ description, schema, contentType = 'application/json' }: Answer): JsonSchema {
  const hasBody = schema !== undefined || contentType !== 'application/json'
  return {
    description,
    ...(hasBody ? { content: contentOf({ [contentType]: schema ?? { type: 'string' } }) } : {}),
  }
}

function toFailure(status: number, codes: readonly string[], isPage: boolean): JsonSchema {
  const header = ERROR_HEADERS[status]
  const narrowed = {
    type: 'object',
    properties: { status: { const: status }, code: { enum: codes } },
  }
  return {
    description: codes.join(', '),
    ...(header ? { headers: { [header]: { required: true, schema: { type: 'string' } } } } : {}),
    content: contentOf({
      'application/problem+json': {
        allOf: [{ $ref: '#/components/schemas/Problem' }, narrowed],
      },
      // Errors of the router are problem details, even if the endpoint itself answers with HTML.
      ...(isPage ? { 'text/html': { type: 'string' } } : {}),
    }),
  }
}

// The header that a response with this status has (RFC 9110 §15.5.2 and §10.2.3).
const ERROR_HEADERS: Readonly<Record<number, string>> = {
  401: 'www-authenticate',
  429: 'retry-after',
}

const CSRF_TOKEN: JsonSchema = {
  name: 'x-csrf-token',
  in: 'header',
  required: false,
  description: 'Required with a session cookie, if the token is not in a form',
  schema: { type: 'string' },
}

const PROBLEM: JsonSchema = {
  type: 'object',
  description: 'Problem details (RFC 9457)',
  properties: {
    type: { type: 'string', pattern: '^urn:quillgate:problem:[a-z0-9_]+$' },
    title: { type: 'string' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    detail: { type: 'string', description: 'A sentence for people that says what to do' },
    code: { type: 'string', pattern: '^[a-z0-9_]+$' },
    errors: {
      type: 'array',
      minItems: 1,
      maxItems: 20,
      items: {
        type: 'object',
        properties: { field: { type: 'string' }, message: { type: 'string' } },
        required: ['field', 'message'],
        additionalProperties: false,
      },
    },
  },
  required: ['type', 'title', 'status', 'detail', 'code'],
  additionalProperties: false,
}
