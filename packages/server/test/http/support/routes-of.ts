import type { Method, RequestContext, Route } from '@quillgate/server/http'

/** A path and its methods. */
export interface Path {
  readonly path: string
  readonly methods: Readonly<
    Partial<
      Record<
        Method,
        (
          context: RequestContext,
          params: Readonly<Record<string, string>>,
        ) => Response | Promise<Response>
      >
    >
  >
  readonly isStatic?: boolean
}

/** The routes of these paths. */
export function routesOf(paths: readonly Path[]): Route[] {
  return paths.flatMap(({ path, methods, isStatic = false }) =>
    Object.entries(methods).map(([method, respond]) => ({
      method: method as Method,
      path,
      isStatic,
      respond: async (context, params) => respond(context, params),
    })),
  )
}
