import { methodNotAllowed, problemResponse, type RequestContext } from '@quillgate/http'
import { Hono } from 'hono'
import type { EndpointName } from '../options.ts'
import {
  deleteDevice,
  getDevices,
  patchDevice,
  postLogout,
  postReauthenticate,
  postRevokeAll,
} from './device-endpoints.ts'
import type { HttpParts } from './http-parts.ts'
import { notFound, postRefresh, postToken, postVerify } from './token-endpoints.ts'

/** Answers a request for one of our paths. @param uid of the path, or '' */
type Handler = (parts: HttpParts, context: RequestContext, uid: string) => Promise<Response>

interface Endpoint {
  /** Below the base path. */
  readonly path: string
  readonly methods: Readonly<Record<string, Handler>>
}

const ENDPOINTS: Readonly<Record<EndpointName, Endpoint>> = {
  list: { path: '', methods: { GET: getDevices } },
  token: { path: '/token', methods: { POST: postToken } },
  token_refresh: { path: '/token/refresh', methods: { POST: postRefresh } },
  token_verify: { path: '/token/verify', methods: { POST: postVerify } },
  reauthenticate: { path: '/reauthenticate', methods: { POST: postReauthenticate } },
  logout: { path: '/logout', methods: { POST: postLogout } },
  revoke_all: { path: '/revoke-all', methods: { POST: postRevokeAll } },
  device: { path: '/:uid', methods: { PATCH: patchDevice, DELETE: deleteDevice } },
}

/** What {@link createApp} gives. */
export interface App {
  /** Answers a request; errors become problem details. */
  fetch(context: RequestContext): Promise<Response>
}

/** Routes requests to the endpoints. @param basePath where they are, for example `/trusted-devices` */
export function createApp(parts: HttpParts, basePath: string): App {
  const app = new Hono<{ Bindings: { context: RequestContext } }>().basePath(basePath)
  for (const { path, methods } of Object.values(ENDPOINTS)) {
    app.all(path || '/', (c) => {
      const handler = methods[c.req.method === 'HEAD' ? 'GET' : c.req.method]
      if (!handler) throw methodNotAllowed(Object.keys(methods))
      return handler(parts, c.env.context, c.req.param('uid') ?? '')
    })
  }
  app.notFound(() => problemResponse(notFound()))
  app.onError((error) => problemResponse(error, { onUnexpected: parts.onUnexpected }))
  return { fetch: async (context) => app.fetch(context.request, { context }) }
}

/** The path of an endpoint below the base path. */
export function endpointPath(name: EndpointName, uid = ''): string {
  return ENDPOINTS[name].path.replace(':uid', encodeURIComponent(uid))
}
