import { notFound } from '@quillgate/server/core'
import type { RequestContext } from '@quillgate/server/http'
import { type MemberRules, type Members, parseMembers, parseQuery } from '../members.ts'
import type { Access, OperationDescription } from '../openapi/description.ts'
import { requireUid } from '../uuid.ts'
import { readBody, readOptionalBody } from './body.ts'
import type { HttpParts } from './http-parts.ts'
import { type Identity, requireIdentity } from './sessions/identify.ts'
import { requireCsrf } from './sessions/require-csrf.ts'

/** One method of an endpoint: its description, and how it answers. */
export interface Operation extends OperationDescription {
  /** Whether there is such an endpoint. @default always */
  readonly isOn?: (parts: HttpParts) => boolean
  /** @param params the named parts of the path */
  respond(
    parts: HttpParts,
    context: RequestContext,
    params: Readonly<Record<string, string>>,
  ): Promise<Response>
}

/** What an operation gets, beside the request. */
export interface Input<Who extends Access, Body extends MemberRules, Query extends MemberRules> {
  /** The device that asks, where `access` is `device` or `change`. */
  readonly identity: Who extends 'device' | 'change' ? Identity : null
  /** The named parts of the path. */
  readonly params: Readonly<Record<string, string>>
  /** The uid of the path. @throws QuillgateError 400 `invalid_uid` */
  uid(): string
  /** Reads and checks the body, once. @throws QuillgateError 400, 413, 415 */
  body(): Promise<Members<Body>>
  /** @throws QuillgateError 400 `invalid_request` */
  query(): Members<Query>
}

/** An operation as it is written down. */
export interface OperationSource<
  Who extends Access,
  Body extends MemberRules,
  Query extends MemberRules,
> extends OperationDescription {
  readonly access: Who
  readonly body?: Body
  readonly query?: Query
  readonly isOn?: (parts: HttpParts) => boolean
  handle(
    parts: HttpParts,
    context: RequestContext,
    input: Input<Who, Body, Query>,
  ): Promise<Response>
}

/** No members. */
type None = Readonly<Record<never, never>>

/**
 * Makes an operation. The order of the checks is that of all endpoints: is there one, who asks, CSRF; then what
 * `handle` reads. What it may answer stands beside it, and tests hold every answer against it.
 */
export function operation<
  const Who extends Access,
  const Body extends MemberRules = None,
  const Query extends MemberRules = None,
>(source: OperationSource<Who, Body, Query>): Operation {
  const { handle, ...description } = source
  return {
    ...description,
    async respond(parts, context, params) {
      if (source.isOn && !source.isOn(parts)) throw notFound()
      const identity = await identityFor(source.access, parts, context)
      return handle(parts, context, {
        // `identityFor` gives one where `access` asks for it.
        identity: identity as Input<Who, Body, Query>['identity'],
        params,
        uid: () => requireUid(params['uid'] ?? '', 'The last part of the path must be a UUID.'),
        body: async () => {
          const read = source.bodyRequired === false ? readOptionalBody : readBody
          return parseMembers(await read(context.request), source.body ?? ({} as Body))
        },
        query: () =>
          parseQuery(new URL(context.request.url).searchParams, source.query ?? ({} as Query)),
      })
    },
  }
}

async function identityFor(
  access: Access,
  parts: HttpParts,
  context: RequestContext,
): Promise<Identity | null> {
  if (access === 'anybody' || access === 'own') return null
  const identity = await requireIdentity(parts, context)
  if (access === 'change') await requireCsrf(parts, context, identity.transport, identity.user)
  return identity
}
