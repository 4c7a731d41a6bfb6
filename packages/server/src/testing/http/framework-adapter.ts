import type { Quillgate } from '../../quillgate.ts'

/** The part of an application object that adapters call for each request. */
export type FetchHandler = Pick<Quillgate, 'fetch' | 'handles'>

/** Options of a server in the suite. */
export interface ServeOptions {
  /**
   * Path under which the framework mounts the handler, or null for the root. The handler handles
   * the paths below `/quillgate`.
   */
  readonly prefix: string | null
  /** If true, parsers for JSON, simple forms and `text/plain` run before the handler. */
  readonly parsers: boolean
}

/** A server of the suite, which listens on this machine. */
export interface AdapterServer {
  /** The origin of the server, for example `http://127.0.0.1:49152`. */
  readonly origin: string
  /** Closes the server and all its connections. */
  close(): Promise<void>
}

/** A framework adapter under test. */
export interface FrameworkAdapter {
  /**
   * Listens on a free port and mounts the handler. The application answers other paths with
   * `ELSEWHERE`.
   */
  serve(handler: FetchHandler, options: ServeOptions): Promise<AdapterServer>
  /** The abilities of the framework. Tests that need a missing ability do not run. */
  readonly features: {
    /** True if the framework can mount handlers under a prefix. */
    readonly prefix: boolean
    /** True if the framework has body parsers that can run before the handler. */
    readonly parsers: boolean
    /** True if an application answers other paths. If false, the handler answers 404. */
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
