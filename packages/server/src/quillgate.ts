import { ConfigurationError, notFound } from './core/errors.ts'
import { deriveKeys } from './core/keys.ts'
import type { Logger } from './core/logger.ts'
import { parse } from './core/schema.ts'
import { checkServer, migrate } from './database/migrate.ts'
import { openDatabase } from './database/open.ts'
import type { Database, MigrationSet } from './database/types.ts'
import {
  type Connection,
  type Identity,
  type RequestContext,
  RequestContexts,
} from './http/context.ts'
import { createCsrf, isProtected, ownCsrf } from './http/csrf/csrf.ts'
import type { Endpoints } from './http/endpoints.ts'
import { createNetwork } from './http/network/network.ts'
import { createOpenApi, type OpenApiDocument } from './http/openapi.ts'
import { problemResponse } from './http/problem.ts'
import { createRateLimiter } from './http/rate-limit/rate-limit.ts'
import { withCookies } from './http/response-cookies.ts'
import { GATE_OPTIONS, type QuillgateOptions } from './options.ts'

/** A part of an application object, such as the markdown editor. */
export interface Component extends Endpoints {
  /** Unique in the application object. */
  readonly name: string
  /** Creates the tables. After a failure, the next call tries again. */
  ready(): Promise<void>
  close(): Promise<void>
  /** Missing if the component does not authenticate users. */
  authenticate?(context: RequestContext): Promise<Identity | null>
}

/** The parts that components and adapters share. Applications do not need them. */
export type GateParts = ReturnType<typeof createParts>

/** The application object, which the components of one application share. */
export interface Quillgate {
  /** Answers a request for a component. Never rejects: errors become problem details. */
  fetch(request: Request, connection?: Connection): Promise<Response>
  /** Returns true if the path of a request belongs to a component. */
  handles(request: Request | URL | string): boolean
  /**
   * Returns a CSRF token for the page that answers a request, and sets the cookie of the token. The
   * token is valid only in this browser and for its current user. Put it into the field
   * `csrf_token` of forms, or into `<meta name="csrf-token">`.
   */
  csrfToken(request: unknown): Promise<string>
  /**
   * Returns true if one of your own pages sent a request, or if the request has a bearer token and
   * so needs no CSRF token.
   *
   * @param token value of the form field `csrf_token`; by default, the value of the
   * header `x-csrf-token`
   */
  verifyCsrf(request: unknown, token?: unknown): Promise<boolean>
  /**
   * Returns the response with the cookies that calls such as `devices.login(user, request)` have
   * set. Call it in applications that return a `Response` to the framework themselves, such as
   * route handlers of Next. The other adapters add the cookies.
   */
  respond(request: unknown, response: Response): Response
  /** Describes the endpoints of all components. */
  openApi(): OpenApiDocument
  /**
   * Connects to the database, creates tables, and starts the components. Requests wait until then.
   * After a failure, the next call tries again.
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
 * Creates the application object. The components connect to the database when an adapter mounts the
 * object, on the first request, or in `gate.ready()`.
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
  const components: Component[] = []
  const parts = createParts(input, components)
  const { contexts, csrf, database, identify, openApi, respond } = parts
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
    handles: (request) => components.some(({ handles }) => handles(request)),
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
    async ready() {
      throwFirst(await Promise.allSettled(components.map((component) => component.ready())))
    },
    close() {
      closing ??= closeAll(components, database)
      return closing
    },
    parts,
  }
}

/** Checks that a factory or an adapter got an application object. @throws ConfigurationError */
export function checkGate(gate: unknown, caller: string): void {
  const { parts } = (gate ?? {}) as Partial<Quillgate>
  if (typeof parts?.register === 'function') return
  throw new ConfigurationError(caller, 'needs an application object: createQuillgate({ … })')
}

function createParts(input: QuillgateOptions, components: Component[]) {
  const options = parse(GATE_OPTIONS, input)
  const { secret, publicOrigin, trustedProxies, logger, settings } = options
  /** Whole milliseconds since the epoch, because columns of times contain whole numbers. */
  const clock = (): number => Math.trunc(options.clock())
  const network = createNetwork({ publicOrigin, trustedProxies, ...settings }, logger)
  /** Derives the keys for one purpose from the secrets, the newest first. */
  const keys = (label: string): [Buffer, ...Buffer[]] => deriveKeys(secret, label)
  const database = openDatabase(options.database)
  let isStarted = false
  return {
    database,
    prefix: 'quillgate_',
    /** If the option `migrate` is false, checks only the version of the database server. */
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
    /** @throws ConfigurationError if a component of this name or with these paths exists */
    register(component: Component): void {
      requireUnique(component, components)
      components.push(component)
      if (isStarted) startInBackground(component, logger)
    },
    /** Starts all components in the background. Adapters call it when they mount. */
    start(): void {
      if (isStarted) return
      isStarted = true
      for (const component of components) startInBackground(component, logger)
    },
    /** Returns the user that the first component recognizes, or null. */
    async identify(context: RequestContext): Promise<Identity | null> {
      for (const component of components) {
        const identity = await component.authenticate?.(context)
        if (identity) return identity
      }
      return null
    },
    canIdentify: () => components.some(({ authenticate }) => authenticate !== undefined),
    openApi: () => createOpenApi(components),
    /** The answer does not include the cookies of the context. */
    async respond(context: RequestContext): Promise<Response> {
      const component = components.find(({ handles }) => handles(context.request))
      return component ? component.respond(context) : problemResponse(notFound())
    },
  }
}

/** @throws ConfigurationError if another component has the same name or an overlapping path */
function requireUnique(component: Component, others: readonly Component[]): void {
  const { name, paths } = component
  for (const other of others) {
    if (other.name === name) {
      const problem =
        'is already the name of a component of this application object. Give one of the two another name'
      throw new ConfigurationError(name, problem)
    }
    const shared =
      paths.find((path) => other.handles(path)) ??
      other.paths.find((path) => component.handles(path))
    if (shared === undefined) continue
    const problem = `cannot have the path ${shared}, because ${other.name} has it. Set another basePath`
    throw new ConfigurationError(name, problem)
  }
}

// Starts in a microtask, because a factory may register a component that is not complete yet.
function startInBackground({ name, ready }: Component, logger: Logger): void {
  Promise.resolve()
    .then(ready)
    .catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error)
      logger.error(`${name} cannot start: ${reason.replaceAll(/\s+/g, ' ')}`)
    })
}

async function closeAll(components: readonly Component[], database: Database): Promise<void> {
  const results = await Promise.allSettled(components.map((component) => component.close()))
  results.push(...(await Promise.allSettled([database.close()])))
  throwFirst(results)
}

function throwFirst(results: readonly PromiseSettledResult<unknown>[]): void {
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
}
