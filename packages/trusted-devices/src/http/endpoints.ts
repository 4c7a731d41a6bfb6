import {
  createEndpoints,
  type Endpoint,
  type FetchHandler,
  type RequestContext,
  unknownEndpoint,
} from '@quillgate/http'
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
import { postRefresh, postToken, postVerify } from './token-endpoints.ts'

/** Answers a request for one of our paths. @param uid of the path, or '' */
type Handler = (parts: HttpParts, context: RequestContext, uid: string) => Promise<Response>

interface DeviceEndpoint {
  /** Below the base path. */
  readonly path: string
  readonly methods: Readonly<Record<string, Handler>>
}

const ENDPOINTS: Readonly<Record<EndpointName, DeviceEndpoint>> = {
  list: { path: '', methods: { GET: getDevices } },
  token: { path: '/token', methods: { POST: postToken } },
  tokenRefresh: { path: '/token/refresh', methods: { POST: postRefresh } },
  tokenVerify: { path: '/token/verify', methods: { POST: postVerify } },
  reauthenticate: { path: '/reauthenticate', methods: { POST: postReauthenticate } },
  logout: { path: '/logout', methods: { POST: postLogout } },
  revokeAll: { path: '/revoke-all', methods: { POST: postRevokeAll } },
  device: { path: '/:uid', methods: { PATCH: patchDevice, DELETE: deleteDevice } },
}

/** The endpoints, as adapters want them. @param ready is awaited before one answers */
export function createDeviceEndpoints(parts: HttpParts, ready: () => Promise<void>): FetchHandler {
  const { basePath, cors, onUnexpected } = parts
  const endpoints = Object.values(ENDPOINTS).map(({ path, methods }): Endpoint => {
    const bound = Object.entries(methods).map(([method, handler]) => [
      method,
      (context: RequestContext, { uid = '' }: Readonly<Record<string, string>>) => handler(parts, context, uid),
    ])
    return { path: basePath + path, methods: Object.fromEntries(bound) }
  })
  return createEndpoints({ endpoints, paths: [basePath], ready, cors, onUnexpected })
}

/** The path of an endpoint below the base path. @throws QuillgateError `unknown_endpoint` */
export function endpointPath(name: EndpointName, uid = ''): string {
  if (!Object.hasOwn(ENDPOINTS, name)) throw unknownEndpoint(name, Object.keys(ENDPOINTS))
  return ENDPOINTS[name].path.replace(':uid', encodeURIComponent(uid))
}
