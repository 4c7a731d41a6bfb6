import type { Endpoint, RequestContext } from '@quillgate/server/http'
import type { Method } from '../../../src/http/endpoint.ts'

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

export function routesOf(paths: readonly Path[]): Endpoint[] {
  return paths.flatMap(({ path, methods, isStatic = false }) =>
    Object.entries(methods).map(([method, respond]) => ({
      method: method as Method,
      path,
      isStatic,
      respond: async (context, params) => respond(context, params),
    })),
  )
}
