import { type Components, createComponents, throwFirst } from './components.ts'
import { ConfigurationError } from './core/errors.ts'
import { deriveKeys } from './core/keys.ts'
import { parse } from './core/schema.ts'
import { checkServer, migrate } from './database/migrate.ts'
import { openDatabase } from './database/open.ts'
import type { Database, MigrationSet } from './database/types.ts'
import { type ConnectionInfo, RequestContexts } from './http/context.ts'
import { createCsrf, isProtected, ownCsrf } from './http/csrf/csrf.ts'
import { createNetwork } from './http/network/network.ts'
import type { OpenApiDocument } from './http/openapi.ts'
import { problemResponse } from './http/problem.ts'
import { createRateLimiter } from './http/rate-limit/rate-limit.ts'
import { withCookies } from './http/response-cookies.ts'
import { GATE_OPTIONS, type QuillgateOptions } from './options.ts'

/** The parts that components and adapters share. Applications do not need them. */
export type GateParts = ReturnType<typeof createParts>

/** The application object, which the components of one application share. */
export interface Quillgate {
  /** Answers a request for a component. Never rejects, because errors become problem details. */
  fetch(request: Request, connection?: ConnectionInfo): Promise<Response>
  /** Returns true if the path of a request belongs to a component. */
  handles(request: Request | URL | string): boolean
  /**
   * Returns a CSRF token for the page that answers a request, and sets the cookie of the token. The
   * token is valid only in this browser and for its current user. Put it into the field
   * `csrf_token` of forms, or into `<meta name="csrf-token">`. Throws with the option `csrf`.
   */
  csrfToken(request: unknown): Promise<string>
  /**
   * Returns true if a request has a valid CSRF token, or needs none because of a bearer token. A
   * bearer token is checked only if the request has cookies too.
   *
   * @param token value of the form field `csrf_token`; by default, of the header `x-csrf-token`
   */
  verifyCsrf(request: unknown, token?: unknown): Promise<boolean>
  /**
   * Returns the response with the cookies that calls such as `devices.login(user, request)` have
   * set. Call `respond` if your own code returns a `Response` to the framework, for example in a
   * route handler of Next. In other frameworks, the adapter adds the cookies.
   */
  respond(request: unknown, response: Response): Response
  /** Returns the OpenAPI document of the endpoints of all components. */
  openApi(): OpenApiDocument
  /**
   * Connects to the database, creates tables, and starts the components. Requests wait until this
   * is done. After a failure, the next call tries again.
   *
   * @throws the first error
   */
  ready(): Promise<void>
  /**
   * Stops the components and closes the database.
   *
   * @throws the first error, after everything was closed
   */
  close(): Promise<void>
  /** The parts that components and adapters share. Applications do not need them. */
  readonly parts: GateParts
}

/**
 * Creates the application object. When an adapter mounts the object, the components connect to the
 * database. Without an adapter, the first request or `gate.ready()` connects.
 *
 * @throws ConfigurationError that names the option
 *
 * @example
 * const gate = createQuillgate({ secret: process.env.SECRET ?? '', database: 'sqlite:./data/app.sqlite' })
 * const devices = createTrustedDevices(gate, { users: { findById } })
 * const editor = createMarkdownEditor(gate, { storage: localFiles('./data/media') })
 * app.use(mount(gate))
 */
export function createQuillgate(input: QuillgateOptions): Quillgate {
  const parts = createParts(input)
  const { components, contexts, csrf, database } = parts
  const { handles, identify, openApi, ready, respond } = components
  const onUnexpected = (error: unknown): void => parts.logger.error('A request failed.', error)
  let closing: Promise<void> | undefined
  return {
    async fetch(request, connection) {
      try {
        const context = contexts.open(request, connection)
        return withCookies(await respond(context), context.cookies)
      } catch (error) {
        return problemResponse(error, { onUnexpected })
      }
    },
    handles,
    async csrfToken(request) {
      const context = contexts.of(request, 'gate.csrfToken')
      const identity = await identify(context)
      return csrf.token(context, identity?.user ?? null)
    },
    async verifyCsrf(request, token) {
      const context = contexts.of(request, 'gate.verifyCsrf')
      const sent = typeof token === 'string' ? token : null
      const readToken = token === undefined ? undefined : async () => sent
      return isProtected(csrf, context, await identify(context), readToken)
    },
    respond: (request, response) =>
      withCookies(response, contexts.of(request, 'gate.respond').cookies),
    openApi,
    ready,
    close() {
      closing ??= closeAll(components, database)
      return closing
    },
    parts,
  }
}

/** Checks that `gate` is an application object. @throws ConfigurationError that names `caller` */
export function checkGate(gate: unknown, caller: string): void {
  const { parts } = (gate ?? {}) as Partial<Quillgate>
  if (typeof parts?.components?.register === 'function') return
  throw new ConfigurationError(caller, 'needs an application object: createQuillgate({ … })')
}

function createParts(input: QuillgateOptions) {
  const options = parse(GATE_OPTIONS, input)
  const { secret, publicOrigin, trustedProxies, logger, settings } = options
  /** Returns whole milliseconds, because the columns for times contain whole numbers. */
  const clock = (): number => Math.trunc(options.clock())
  const network = createNetwork({ publicOrigin, trustedProxies, ...settings }, logger)
  const keys = (label: string): [Buffer, ...Buffer[]] => deriveKeys(secret, label)
  const database = openDatabase(options.database)
  return {
    components: createComponents(logger),
    database,
    prefix: 'quillgate_',
    /** Applies migrations. If the option `migrate` is false, only checks the server's version. */
    async createTables(migrations: MigrationSet, prefix: string): Promise<void> {
      if (options.migrate) await migrate(database, migrations, { prefix })
      else await checkServer(database)
    },
    publicOrigin,
    hasTrustedProxies: (trustedProxies?.length ?? 0) > 0,
    network,
    limiter: createRateLimiter({
      ...{ store: options.rateLimiter, clock, logger },
      key: keys('rate-limit')[0],
    }),
    cors: options.cors,
    csrf: options.csrf ? ownCsrf(options.csrf) : createCsrf({ secret, network, logger }),
    logger,
    clock,
    contexts: new RequestContexts(),
    keys,
  }
}

async function closeAll(components: Components, database: Database): Promise<void> {
  throwFirst([
    ...(await Promise.allSettled([components.close()])),
    ...(await Promise.allSettled([database.close()])),
  ])
}
