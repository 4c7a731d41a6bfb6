import { ConfigurationError, notFound } from './core/errors.ts'
import type { Logger } from './core/logger.ts'
import type { Authentication, RequestContext } from './http/context.ts'
import type { Endpoints } from './http/endpoints.ts'
import { createOpenApi, type OpenApiDocument } from './http/openapi.ts'
import { problemResponse } from './http/problem.ts'

/** A part of an application object, such as the markdown editor. */
export interface Component extends Endpoints {
  /** Unique in the application object. */
  readonly name: string
  /** Creates the tables. After a failure, the next call tries again. */
  ready(): Promise<void>
  close(): Promise<void>
  /** Returns the user of a request, or null. Missing if the component authenticates no users. */
  authenticate?(context: RequestContext): Promise<Authentication | null>
}

/** The components of an application object. */
export type Components = ReturnType<typeof createComponents>

/** Creates the list of components, which is empty at first. */
export function createComponents(logger: Logger) {
  const components: Component[] = []
  let isStarted = false
  return {
    /** @throws ConfigurationError if another component has the same name or an overlapping path */
    register(component: Component): void {
      requireUnique(component, components)
      components.push(component)
      if (isStarted) startInBackground(component, logger)
    },
    /** Starts all components in the background, also those that are registered later. */
    start(): void {
      if (isStarted) return
      isStarted = true
      for (const component of components) startInBackground(component, logger)
    },
    /** @throws the first error, after all components have started or failed */
    async ready(): Promise<void> {
      throwFirst(await Promise.allSettled(components.map((component) => component.ready())))
    },
    /** @throws the first error, after all components have stopped or failed */
    async close(): Promise<void> {
      throwFirst(await Promise.allSettled(components.map((component) => component.close())))
    },
    handles: (request: Request | URL | string): boolean =>
      components.some(({ handles }) => handles(request)),
    canIdentify: () => components.some(({ authenticate }) => authenticate !== undefined),
    async identify(context: RequestContext): Promise<Authentication | null> {
      for (const component of components) {
        const identity = await component.authenticate?.(context)
        if (identity) return identity
      }
      return null
    },
    /** Does not add the cookies of the context to the response. */
    async respond(context: RequestContext): Promise<Response> {
      const component = components.find(({ handles }) => handles(context.request))
      return component ? component.respond(context) : problemResponse(notFound())
    },
    openApi: (): OpenApiDocument => createOpenApi(components),
  }
}

function requireUnique(component: Component, others: readonly Component[]): void {
  const { name, paths } = component
  for (const other of others) {
    if (other.name === name) {
      const problem =
        'is already the name of a component of this application object. Rename one of the components'
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

// Starts in a microtask, because a factory may register its component before completing it.
function startInBackground({ name, ready }: Component, logger: Logger): void {
  Promise.resolve()
    .then(ready)
    .catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error)
      logger.error(`${name} cannot start: ${reason.replaceAll(/\s+/g, ' ')}`)
    })
}

/** Throws the reason of the first rejected promise, if there is one. */
export function throwFirst(results: readonly PromiseSettledResult<unknown>[]): void {
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
}
