import type { Quillgate } from '../../quillgate.ts'

/** The part of an application object that adapters call for each request. */
export type FetchHandler = Pick<Quillgate, 'fetch' | 'handles'>

/** Options of a server in the suite. */
export interface ServeOptions {
  /**
   * Path under which the framework mounts the handler, or null for the root. The handler itself
   * handles the paths below `/quillgate`.
   */
  readonly prefix: string | null
  /**
   * If true, the framework's parsers for JSON, simple forms and `text/plain` run in front of the
   * handler.
   */
  readonly parsers: boolean
}

/** A server of the suite, listening on this machine. */
export interface AdapterServer {
  /** For example `http://127.0.0.1:49152`. */
  readonly origin: string
  /** Closes the server and all its connections. */
  close(): Promise<void>
}

/** A framework adapter under test. */
export interface FrameworkAdapter {
  /**
   * Listens on a free port with the handler, and with `ELSEWHERE` as the application's own answer
   * to other paths.
   */
  serve(handler: FetchHandler, options: ServeOptions): Promise<AdapterServer>
  /** The abilities of the framework. Tests that need other abilities are left out. */
  readonly features: {
    /** It can mount handlers under a prefix. */
    readonly prefix: boolean
    /** It has body parsers that can run in front of the handler. */
    readonly parsers: boolean
    /**
     * It has an application that answers other paths. Otherwise, the handler answers other paths
     * with 404 `not_found`.
     */
    readonly application: boolean
  }
}

/** The response of the application's own route in the suite. */
export const ELSEWHERE = 'elsewhere'

/** Serves a handler for one test, and returns the URL of its endpoint. */
export type Serve = (
  fetch: FetchHandler['fetch'],
  options?: Partial<ServeOptions>,
) => Promise<string>

/** Returns a handler that passes the requests for paths below `/quillgate` to a function. */
export function handlerOf(fetch: FetchHandler['fetch']): FetchHandler {
  const handles = (request: Request | URL | string): boolean =>
    new URL(request instanceof Request ? request.url : request).pathname.startsWith('/quillgate/')
  return { fetch, handles }
}
