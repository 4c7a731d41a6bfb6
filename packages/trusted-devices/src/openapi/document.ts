import { cookieName } from '@quillgate/server/http'
import type { JsonSchema } from '../members.ts'
import { memberSchema, membersSchema } from '../members.ts'
import {
  type Access,
  type Answer,
  errorsOf,
  type OperationDescription,
  type PathDescription,
} from './description.ts'

/** An OpenAPI document (https://spec.openapis.org/oas/v3.1.1.html), to be written as JSON. */
export interface OpenApiDocument {
  readonly openapi: '3.1.1'
  readonly info: JsonSchema
  readonly tags: readonly JsonSchema[]
  readonly paths: Readonly<Record<string, JsonSchema>>
  readonly components: JsonSchema
}

/** What a document is made of. */
export interface DocumentSource {
  /** Where the endpoints are. */
  readonly basePath: string
  readonly paths: readonly PathDescription[]
  /** Schemas that the operations refer to, as `#/components/schemas/<name>`. */
  readonly schemas: Readonly<Record<string, JsonSchema>>
  /** The plain name of the session cookie. */
  readonly sessionCookie: string
}

const DESCRIPTION = `Every login registers a device. Its user sees it and may revoke it.

Errors are problem details (RFC 9457) with a stable \`code\`. An address that is not here answers 404 \`not_found\`, another
method 405 \`method_not_allowed\` with an \`allow\` header, and what is no request 400 \`malformed_request\`. \`HEAD\` answers
like \`GET\`, without a body. Checks come in this order: method, authentication, CSRF token, body. No answer is to be stored
by caches.`

/** Writes the document. The same source gives the same document. */
export function createDocument({
  basePath,
  paths,
  schemas,
  sessionCookie,
}: DocumentSource): OpenApiDocument {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Trusted devices',
      version: '1',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    tags: [{ name: 'trusted-devices' }],
    paths: Object.fromEntries(
      paths.map((path) => [basePath + toTemplate(path.path), pathItem(path)]),
    ),
    components: {
      schemas: { ...schemas, Problem: PROBLEM },
      securitySchemes: securitySchemes(sessionCookie),
    },
  }
}

/** `/:uid` becomes `/{uid}`. */
function toTemplate(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}')
}

function pathItem({ path, methods }: PathDescription): JsonSchema {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const parameters = names.map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: pathPart(name),
  }))
  return {
    ...(parameters.length > 0 ? { parameters } : {}),
    ...Object.fromEntries(
      Object.entries(methods).map(([method, operation]) => [
        method.toLowerCase(),
        describe(operation),
      ]),
    ),
  }
}

function pathPart(name: string): JsonSchema {
  return name === 'uid' ? { type: 'string', format: 'uuid' } : { type: 'string' }
}

function describe(operation: OperationDescription): JsonSchema {
  const { id, summary, access } = operation
  const parameters = [...queryParameters(operation), ...(isChange(access) ? [CSRF_TOKEN] : [])]
  return {
    operationId: id,
    summary,
    tags: ['trusted-devices'],
    security:
      access === 'anybody' ? [] : [{ bearer: [] }, { session: [] }, { sessionOverHttp: [] }],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...requestBody(operation),
    responses: { ...successes(operation), ...failures(operation) },
  }
}

function isChange(access: Access): boolean {
  return access === 'change' || access === 'own'
}

function queryParameters({ query = {} }: OperationDescription): JsonSchema[] {
  return Object.entries(query).map(([name, rule]) => ({
    name,
    in: 'query',
    required: !rule.optional,
    schema: memberSchema(rule),
  }))
}

function requestBody({ body, bodyRequired = true, form }: OperationDescription): JsonSchema {
  if (!body && !form) return {}
  const content = {
    ...(body ? { 'application/json': { schema: membersSchema(body) } } : {}),
    ...(form ? { 'application/x-www-form-urlencoded': { schema: form } } : {}),
  }
  return { requestBody: { required: bodyRequired, content } }
}

function successes({ answers }: OperationDescription): JsonSchema {
  return Object.fromEntries(
    Object.entries(answers).map(([status, answer]) => [status, toResponse(answer)]),
  )
}

function toResponse({ description, schema, contentType = 'application/json' }: Answer): JsonSchema {
  const hasBody = schema !== undefined || contentType !== 'application/json'
  return {
    description,
    ...(hasBody ? { content: { [contentType]: { schema: schema ?? { type: 'string' } } } } : {}),
  }
}

function failures(operation: OperationDescription): JsonSchema {
  return Object.fromEntries(
    Object.entries(errorsOf(operation)).map(([status, codes]) => [
      status,
      {
        description: codes.join(', '),
        ...errorHeaders(Number(status)),
        content: errorContent(Number(status), codes, operation),
      },
    ]),
  )
}

/** People see pages, whatever went wrong; what fails before the page is a problem all the same. */
function errorContent(
  status: number,
  codes: readonly string[],
  { hasPages = false }: OperationDescription,
): JsonSchema {
  return { ...problemOf(status, codes), ...(hasPages ? PAGE : {}) }
}

function problemOf(status: number, codes: readonly string[]): JsonSchema {
  const narrowed = {
    type: 'object',
    properties: { status: { const: status }, code: { enum: codes } },
  }
  return {
    'application/problem+json': {
      schema: { allOf: [{ $ref: '#/components/schemas/Problem' }, narrowed] },
    },
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

const PAGE: JsonSchema = { 'text/html': { schema: { type: 'string' } } }

const CSRF_TOKEN: JsonSchema = {
  name: 'x-csrf-token',
  in: 'header',
  required: false,
  description: 'Needed with a session cookie',
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

function securitySchemes(sessionCookie: string): JsonSchema {
  const cookie = (name: string, description: string): JsonSchema => ({
    type: 'apiKey',
    in: 'cookie',
    name,
    description,
  })
  return {
    bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
    session: cookie(cookieName(sessionCookie, true), 'Over https'),
    sessionOverHttp: cookie(cookieName(sessionCookie, false), 'Over http'),
  }
}
