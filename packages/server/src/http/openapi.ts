import type { Answer, Endpoint, Operation } from './endpoint.ts'
import { type JsonSchema, propertySchema } from './properties.ts'

/** An OpenAPI document (https://spec.openapis.org/oas/v3.1.1.html) that can be written as JSON. */
export interface OpenApiDocument {
  readonly openapi: '3.1.1'
  readonly info: JsonSchema
  readonly tags: readonly JsonSchema[]
  readonly paths: Readonly<Record<string, JsonSchema>>
  readonly components: JsonSchema
}

/** The parts of a document that do not follow from the endpoints. */
export interface OpenApiSource {
  readonly title: string
  /** One paragraph about the component. */
  readonly description: string
  readonly endpoints: readonly Endpoint[]
  /** Schemas that endpoints refer to as `#/components/schemas/<name>`. */
  readonly schemas?: Readonly<Record<string, JsonSchema>>
  /** Security schemes that the access of endpoints names. */
  readonly securitySchemes?: Readonly<Record<string, JsonSchema>>
}

const CONVENTIONS = `Errors are problem details (RFC 9457) with a stable \`code\`. An unknown address answers 404 \`not_found\`, another
method 405 \`method_not_allowed\` with an \`allow\` header, and a request that cannot be read 400 \`malformed_request\`. \`HEAD\`
answers like \`GET\`, without a body. Checks come in this order: method, authentication, CSRF token, rate limit, body.`

/** Writes the document of endpoints. The same source gives the same document. */
export function createOpenApi(source: OpenApiSource): OpenApiDocument {
  const { title, description, endpoints, schemas, securitySchemes } = source
  const tags = new Set(endpoints.map(({ operation }) => operation.tag))
  return {
    openapi: '3.1.1',
    info: {
      title,
      version: '1',
      description: `${description}\n\n${CONVENTIONS}`,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    tags: [...tags].map((name) => ({ name })),
    paths: Object.fromEntries(
      [...byPath(endpoints)].map(([path, methods]) => [templateOf(path), pathItem(path, methods)]),
    ),
    components: {
      schemas: { ...schemas, Problem: PROBLEM },
      ...(securitySchemes ? { securitySchemes } : {}),
    },
  }
}

function byPath(endpoints: readonly Endpoint[]): Map<string, readonly Endpoint[]> {
  const paths = new Map<string, readonly Endpoint[]>()
  for (const endpoint of endpoints)
    paths.set(endpoint.path, [...(paths.get(endpoint.path) ?? []), endpoint])
  return paths
}

/** `/:uid` becomes `/{uid}`, and a final `*` becomes `{path}`. */
function templateOf(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}').replace(/\*$/, '{path}')
}

function pathItem(path: string, endpoints: readonly Endpoint[]): JsonSchema {
  const schemas = Object.assign({}, ...endpoints.map(({ operation }) => operation.params))
  const parameters = [...templateOf(path).matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: schemas[name] ?? { type: 'string' },
  }))
  return {
    ...(parameters.length > 0 ? { parameters } : {}),
    ...Object.fromEntries(
      endpoints.map(({ method, operation }) => [method.toLowerCase(), describe(operation)]),
    ),
  }
}

function describe(operation: Operation): JsonSchema {
  const { id, summary, tag, security, query, needsCsrf, body } = operation
  const parameters = [
    ...Object.entries(query).map(([name, rule]) => ({
      name,
      in: 'query',
      required: !rule.optional,
      schema: propertySchema(rule),
    })),
    ...(needsCsrf ? [CSRF_TOKEN] : []),
  ]
  return {
    operationId: id,
    summary,
    tags: [tag],
    ...(security ? { security: security.map((name) => ({ [name]: [] })) } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body
      ? { requestBody: { required: body.isRequired, content: contentOf(body.content) } }
      : {}),
    responses: {
      ...mapValues(operation.answers, (answer) => toResponse(answer)),
      ...mapValues(operation.errors, (codes, status) =>
        toFailure(Number(status), codes, operation.hasErrorPages),
      ),
    },
  }
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
  const narrowed = {
    type: 'object',
    properties: { status: { const: status }, code: { enum: codes } },
  }
  return {
    description: codes.join(', '),
    ...errorHeaders(status),
    content: contentOf({
      'application/problem+json': {
        allOf: [{ $ref: '#/components/schemas/Problem' }, narrowed],
      },
      // An error before the endpoint is reached is a problem document in any case.
      ...(isPage ? { 'text/html': { type: 'string' } } : {}),
    }),
  }
}

/** RFC 9110 §15.5.2 and §10.2.3. */
function errorHeaders(status: number): JsonSchema {
  if (status === 401)
    return { headers: { 'www-authenticate': { required: true, schema: { type: 'string' } } } }
  if (status === 429)
    return { headers: { 'retry-after': { required: true, schema: { type: 'string' } } } }
  return {}
}

const CSRF_TOKEN: JsonSchema = {
  name: 'x-csrf-token',
  in: 'header',
  required: false,
  description: 'Needed with a session cookie, unless a form contains it',
  schema: { type: 'string' },
}

const PROBLEM: JsonSchema = {
  type: 'object',
  description: 'Problem details (RFC 9457)',
  properties: {
    type: { type: 'string', pattern: '^urn:quillgate:problem:[a-z0-9_]+$' },
    title: { type: 'string' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    detail: { type: 'string', description: 'For people: what to do' },
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
