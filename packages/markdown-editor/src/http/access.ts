import type { GateParts } from '@quillgate/server'
import { serverError, toUserId } from '@quillgate/server/core'
import {
  type Access,
  createDefineEndpoint,
  type DefineEndpoint,
  hasBearer,
  isSameOrigin,
  type Rate,
  type RequestContext,
  requireCsrf,
  timesRate,
} from '@quillgate/server/http'
import { STORAGE_ERRORS } from '@quillgate/storage'
import { EDITOR_ERRORS, type MarkdownEditorErrorCode } from '../errors.ts'
import type { Medium } from '../media/ledger/medium.ts'
import {
  type EditorUser,
  type Owner,
  type Principal,
  parseOwner,
} from '../media/ledger/principal.ts'
import type { EditorConfiguration } from '../options.ts'

/** The number of `finalize` requests that the rate limit allows for each upload. */
const FINALIZE_PER_UPLOAD = 10

/** Defines an endpoint of the markdown editor. */
export const defineEndpoint: DefineEndpoint<MarkdownEditorErrorCode> = createDefineEndpoint(
  'markdown-editor',
  { ...STORAGE_ERRORS, ...EDITOR_ERRORS },
)

interface AccessParts
  extends Pick<GateParts, 'csrf' | 'limiter' | 'network'>,
    Pick<GateParts['components'], 'identify'>,
    Pick<EditorConfiguration, 'authenticate' | 'authorize'> {
  readonly requireAuth: boolean
  readonly uploadRate: Rate | null
}

/** Decides who may upload, finalize and read files, and limits how often. */
export class EditorAccess {
  readonly #parts: AccessParts

  constructor(parts: AccessParts) {
    this.#parts = parts
  }

  /** Returns the signed-in user of a request, or null. Throws 500 `invalid_user` for a wrong id. */
  async userOf(context: RequestContext): Promise<EditorUser | null> {
    const { authenticate, identify } = this.#parts
    if (!authenticate) return (await identify(context))?.user ?? null
    const user = (await authenticate(context)) ?? null
    if (user !== null) toUserId(user.id)
    return user
  }

  /**
   * Returns a function that decides which files the user of a request may see. Returns null if
   * everybody may see every file.
   */
  async readRule(context: RequestContext): Promise<((medium: Medium) => Promise<boolean>) | null> {
    const { authorize } = this.#parts
    if (!authorize) return null
    const user = await this.userOf(context)
    return async (medium) => (await authorize(user, medium)) === true
  }

  /** Allows signed-in users. If `requireAuth` is false, also allows anonymous sessions. */
  userOrSession(purpose: string): Access<EditorUser | null> {
    const { csrf, identify, requireAuth } = this.#parts
    return {
      authenticate: async (context) => {
        const user = await this.userOf(context)
        if (user === null && requireAuth)
          throw serverError('authentication_required', `Sign in to ${purpose}.`)
        return user
      },
      verifyCsrf: async (context, _user, readToken) =>
        requireCsrf(csrf, context, await identify(context), readToken),
    }
  }

  /**
   * Returns the owner of new files: the user, or the session whose cookie `verifyCsrf` has checked.
   * If there is neither, or a bearer token without a user, throws `authentication_required`.
   */
  principalOf(context: RequestContext, user: EditorUser | null): Principal {
    const owner = user ?? this.#visitorOf(context)
    if (owner) return parseOwner(owner)
    const detail = 'Sign in, or send the request from a page that has an anonymous session.'
    throw serverError('authentication_required', detail)
  }

  async ownerOf(context: RequestContext): Promise<Owner | null> {
    const user = await this.userOf(context)
    return user || this.#parts.requireAuth ? user : this.#visitorOf(context)
  }

  #visitorOf(context: RequestContext): Owner | null {
    const session = hasBearer(context.request) ? null : this.#parts.csrf.session(context)
    return session ? { session } : null
  }

  /** Returns true if a page of this application sent the request. */
  isOwnPage(context: RequestContext): boolean {
    return isSameOrigin(context.request, this.#parts.network.origin(context))
  }

  /**
   * Counts requests by user. Anonymous requests are counted by address, because it is easy to
   * create many anonymous sessions.
   */
  async consumeRate(
    what: 'upload' | 'finalize',
    context: RequestContext,
    caller: EditorUser | null,
  ): Promise<void> {
    const { limiter, network, uploadRate } = this.#parts
    const rate = what === 'upload' ? uploadRate : timesRate(uploadRate, FINALIZE_PER_UPLOAD)
    const { owner, user } = this.principalOf(context, caller)
    if (user) return limiter.consume(`${what}:${owner}`, rate)
    const shared = network.addressLimit(context, rate)
    return limiter.consume(`${what}:address:${shared.key}`, shared.rate)
  }
}
