import type { UserId } from '../core/user-id.ts'
import type { AnswerCookies } from './answer-cookies.ts'

/** The connection of a request, as the server or framework knows it. */
export interface Connection {
  /**
   * Address of the socket's other end, before any proxy header is read; `unix` for a Unix socket.
   */
  readonly address?: string | undefined
  /**
   * The framework's own configuration of trusted proxies, such as `trust proxy` of Express. It
   * counts if the option `trustedProxies` is not given.
   *
   * @param address undefined for a Unix socket
   * @param hop 0 for the socket's other end, 1 for the nearest address that a proxy wrote
   */
  readonly trustProxy?: (address: string | undefined, hop: number) => boolean
  /** The framework's own request object, for the application's `authenticate`. */
  readonly native?: unknown
}

/** A request as the network sees it. */
export interface IncomingRequest extends Connection {
  /**
   * The web request. Its URL is what the framework believes; `Network.origin` returns the real
   * origin.
   */
  readonly request: Request
}

/** One request, with the cookies of its answer. Calls that get the same request share it. */
export interface RequestContext extends IncomingRequest {
  /** Cookies for the answer. */
  readonly cookies: AnswerCookies
  /** Results of calls about this request, so that each is computed once. */
  readonly state: RequestState
}

/** See {@link RequestContext.state}. */
export interface RequestState {
  /**
   * The result of the first component that knows who made the request. `login` and `logout` delete
   * it.
   */
  identity?: KeptIdentity<Identity | null>
  /** The CSRF session of the answer. */
  csrf?: {
    readonly id: string
    /** The session before a sign-in or sign-out. */
    readonly previous: string | null
  }
}

/** An identity that was found for a request. */
export interface KeptIdentity<Found> {
  readonly found: Promise<Found>
  /** Milliseconds since the epoch; null if the request itself signed in or out. */
  readonly since: number | null
}

/**
 * Returns whether an identity still counts. A WebSocket or a stream can live for hours after its
 * request, so an identity is kept for 5 seconds only.
 */
export function isFresh({ since }: KeptIdentity<unknown>, now: number): boolean {
  return since === null || (now >= since && now < since + 5000)
}

/** The signed-in user of a request. */
export interface Identity {
  readonly user: { readonly id: UserId }
  /** True if the user was found by a bearer token, which no other site can send. */
  readonly isBearer: boolean
}

/** Answers web requests for a part of an application: an application object and its components. */
export interface FetchHandler {
  /** Answers a request. Never rejects: errors become problem details. */
  fetch(request: Request, connection?: Connection): Promise<Response>
  /**
   * Returns true if the path of this request belongs to this handler. Adapters pass on the other
   * requests.
   */
  handles(request: Request | URL | string): boolean
}
