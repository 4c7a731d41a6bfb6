import { type ErrorTable, SERVER_ERRORS, type ServerErrorCode } from '../core/error-codes.ts'
import { csrfTokenFrom } from './authorization.ts'
import type { BodyKind } from './body-kinds.ts'
import type { RequestContext } from './context.ts'
import { type JsonSchema, type Properties, type PropertyRules, parseQuery } from './properties.ts'

/** A method of an endpoint. An endpoint for `GET` answers `HEAD` too. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The handler of one method of one path. */
export interface Endpoint {
  readonly method: Method
  /**
   * `:name` matches one segment, and `*` at the end matches the rest. Fixed segments are compared
   * without decoding. So each path has only one spelling, and the rules of a proxy can match it.
   */
  readonly path: string
  /** If true, the endpoint answers before `ready` has resolved. @default false */
  readonly isStatic?: boolean
  /** The description for the OpenAPI document. If it is missing, the endpoint is omitted. */
  readonly operation?: Operation
  /** Answers a request. @param params the named segments of the path, decoded */
  respond(context: RequestContext, params: Readonly<Record<string, string>>): Promise<Response>
}

/** A successful response, for the OpenAPI document. */
export interface Answer {
  readonly description: string
  /** If both `schema` and `contentType` are missing, the response has no body. */
  readonly schema?: JsonSchema
  /** @default 'application/json' */
  readonly contentType?: string
}

/** The description of an endpoint, for the OpenAPI document. */
export interface Operation {
  readonly tag: string
  readonly errors: ErrorTable
  readonly definition: Definition
}

/** The callers that an endpoint accepts, and how they are checked. */
export interface Access<Caller> {
  /**
   * The names of security schemes in the OpenAPI document. The list is empty if everybody may call
   * the endpoint, and undefined if the application authenticates users.
   */
  readonly security?: readonly string[]
  /** The error codes of `authenticate`, except 401 `authentication_required`. */
  readonly errors?: readonly string[]
  /** @throws QuillgateError 401 `authentication_required` */
  authenticate(context: RequestContext): Promise<Caller>
  /**
   * Checks the CSRF token. Missing if the endpoint needs no CSRF protection.
   *
   * @param token reads the token from its header or from the first field of a form
   * @throws QuillgateError 403 `csrf_failed`
   */
  verifyCsrf?(
    context: RequestContext,
    caller: Caller,
    token: () => Promise<string | null>,
  ): Promise<void>
}

/** The access of an endpoint that everybody may call. Cookies are ignored. */
export const PUBLIC: Access<null> = { security: [], authenticate: async () => null }

/** The schema and the check of a named segment of a path. */
export interface PathParam<Value> {
  readonly schema: JsonSchema
  readonly errors: readonly string[]
  /** @throws QuillgateError one of `errors` */
  parse(text: string): Value
}

type PathParamRules = Readonly<Record<string, PathParam<unknown>>>

/** An error code. It can have a status that replaces the status in the error table. */
export type ErrorAnswer<Code extends string> =
  | Code
  | { readonly code: Code; readonly status: number }

interface EndpointDefinition<
  Code extends string,
  Caller,
  Body,
  Query extends PropertyRules,
  Params extends PathParamRules,
> {
  /** The `operationId` in the OpenAPI document. */
  readonly id: string
  readonly method: Method
  readonly path: string
  readonly summary: string
  readonly access: Access<Caller>
  readonly params?: Params
  /** Counts the request. @throws QuillgateError 429 `rate_limited` */
  rateLimit?(context: RequestContext, caller: Caller): Promise<void>
  readonly query?: Query
  readonly body?: BodyKind<Body>
  readonly answers: Readonly<Record<number, Answer>>
  /** The errors of the handler. The errors of the checks are added automatically. */
  readonly errors?: readonly ErrorAnswer<Code>[]
  handle(input: {
    readonly context: RequestContext
    readonly caller: Caller
    readonly body: Body
    readonly query: Properties<Query>
    readonly params: { readonly [Name in keyof Params]: ReturnType<Params[Name]['parse']> }
  }): Promise<Response>
  /** Answers errors with HTML pages instead of problem details. */
  errorPage?(context: RequestContext, error: unknown): Promise<Response>
}

/** A function that returns an endpoint. See {@link createDefineEndpoint}. */
export type DefineEndpoint<Code extends string> = <
  Caller,
  Body = null,
  const Query extends PropertyRules = Readonly<Record<never, never>>,
  const Params extends PathParamRules = Readonly<Record<never, never>>,
>(
  definition: EndpointDefinition<Code, Caller, Body, Query, Params>,
) => Endpoint

/**
 * Returns the function that defines the endpoints of a component. An endpoint checks in this order:
 * authentication, CSRF token, path, rate limit, query, body. The first check that fails determines
 * the response.
 *
 * @param tag the tag of the component in the OpenAPI document
 * @param errors the errors of the component, in addition to those of this package
 *
 * @example
 * const defineEndpoint = createDefineEndpoint('notes', NOTE_ERRORS)
 * const getNote = defineEndpoint({
 *   id: 'getNote',
 *   method: 'GET',
 *   path: '/notes/:id',
 *   summary: 'Read a note',
 *   access: PUBLIC,
 *   params: { id: NOTE_ID },
 *   answers: { 200: { description: 'The note', schema: NOTE } },
 *   errors: ['note_not_found'],
 *   handle: async ({ params }) => jsonResponse(await notes.find(params.id)),
 * })
 */
export function createDefineEndpoint<Table extends ErrorTable>(
  tag: string,
  errors: Table,
): DefineEndpoint<(keyof Table & string) | ServerErrorCode> {
  const table = { ...SERVER_ERRORS, ...errors }
  return (definition) => {
    const { method, path, errorPage } = definition
    return {
      method,
      path,
      operation: { tag, errors: table, definition },
      respond(context, params) {
        const response = answer(definition, context, params)
        return errorPage ? response.catch((error) => errorPage(context, error)) : response
      },
    }
  }
}

/** An endpoint definition whose type parameters are erased. */
export type Definition = EndpointDefinition<string, unknown, unknown, PropertyRules, PathParamRules>

async function answer(
  definition: Definition,
  context: RequestContext,
  texts: Readonly<Record<string, string>>,
): Promise<Response> {
  const { access, params = {}, query = {} } = definition
  const { request } = context
  const caller = await access.authenticate(context)
  const body = definition.body?.open(request)
  try {
    const token = async (): Promise<string | null> =>
      csrfTokenFrom(request) ?? (await body?.csrfToken?.()) ?? null
    await access.verifyCsrf?.(context, caller, token)
    const parsed = Object.entries(params).map(([name, rule]) => [
      name,
      rule.parse(texts[name] ?? ''),
    ])
    await definition.rateLimit?.(context, caller)
    return await definition.handle({
      context,
      caller,
      params: Object.fromEntries(parsed),
      query: parseQuery(new URL(request.url).searchParams, query),
      body: await body?.read(),
    })
  } finally {
    await body?.close?.()
  }
}
