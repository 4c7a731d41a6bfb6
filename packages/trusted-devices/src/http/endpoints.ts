import { ConfigurationError, jsonResponse, unknownEndpoint } from '@quillgate/server/core'
import {
  createEndpoints,
  type Endpoint,
  type FetchHandler,
  type RequestContext,
  serveClientAssets,
} from '@quillgate/server/http'
import { createDocument, type OpenApiDocument } from '../openapi/document.ts'
import type { EndpointName } from '../options.ts'
import { getAlert, postAlert } from './alerts/alert-endpoints.ts'
import { assetPrefix } from './client-files.ts'
import {
  deleteDevice,
  getDevices,
  patchDevice,
  postLogout,
  postRevokeAll,
} from './device-endpoints.ts'
import type { HttpParts } from './http-parts.ts'
import { type Operation, operation } from './operation.ts'
import { deleteSecondFactor } from './second-factor.ts'
import { postReauthenticate } from './tokens/reauthenticate.ts'
import { postRefresh, postToken, postVerify } from './tokens/token-endpoints.ts'
import { DEVICE_SCHEMA } from './wire.ts'

interface DeviceEndpoint {
  /** Below the base path. */
  readonly path: string
  readonly methods: Readonly<Record<string, Operation>>
}

/** `GET /trusted-devices/openapi.json`: what is here. */
const getOpenApi = operation({
  id: 'getOpenApi',
  summary: 'This document',
  access: 'anybody',
  isOn: ({ hasOpenApi }) => hasOpenApi,
  answers: {
    200: {
      description: 'OpenAPI 3.1',
      schema: { type: 'object', required: ['openapi', 'info', 'paths'] },
    },
  },
  handle: async (parts) => jsonResponse(describeEndpoints(parts)),
})

const ENDPOINTS: Readonly<Record<EndpointName, DeviceEndpoint>> = {
  list: { path: '', methods: { GET: getDevices } },
  token: { path: '/token', methods: { POST: postToken } },
  tokenRefresh: { path: '/token/refresh', methods: { POST: postRefresh } },
  tokenVerify: { path: '/token/verify', methods: { POST: postVerify } },
  reauthenticate: { path: '/reauthenticate', methods: { POST: postReauthenticate } },
  logout: { path: '/logout', methods: { POST: postLogout } },
  revokeAll: { path: '/revoke-all', methods: { POST: postRevokeAll } },
  openApi: { path: '/openapi.json', methods: { GET: getOpenApi } },
  alert: { path: '/alerts/:token', methods: { GET: getAlert } },
  alertAnswer: { path: '/alerts', methods: { POST: postAlert } },
  secondFactor: { path: '/:uid/second-factor', methods: { DELETE: deleteSecondFactor } },
  device: { path: '/:uid', methods: { PATCH: patchDevice, DELETE: deleteDevice } },
}

/** The endpoints, as adapters want them. @param ready is awaited before one answers */
export function createDeviceEndpoints(parts: HttpParts, ready: () => Promise<void>): FetchHandler {
  const { basePath, cors, onUnexpected } = parts
  const endpoints = Object.values(ENDPOINTS).map(({ path, methods }): Endpoint => {
    const bound = Object.entries(methods).map(([method, { respond }]) => [
      method,
      (context: RequestContext, params: Readonly<Record<string, string>>) =>
        respond(parts, context, params),
    ])
    return { path: basePath + path, methods: Object.fromEntries(bound) }
  })
  const files = assetPrefix(basePath)
  endpoints.push({
    path: `${files}*`,
    methods: { GET: serveClientAssets(parts.assets, files) },
    isStatic: true,
  })
  return createEndpoints({ endpoints, paths: [basePath], ready, cors, onUnexpected })
}

/** The OpenAPI document of the endpoints that are switched on. */
export function describeEndpoints(parts: HttpParts): OpenApiDocument {
  const paths = Object.values(ENDPOINTS)
    .map(({ path, methods }) => ({
      path,
      methods: Object.fromEntries(
        Object.entries(methods).filter(([, { isOn }]) => isOn?.(parts) ?? true),
      ),
    }))
    .filter(({ methods }) => Object.keys(methods).length > 0)
  return createDocument({
    basePath: parts.basePath,
    paths,
    schemas: { Device: DEVICE_SCHEMA },
    sessionCookie: parts.cookies.sessionName,
  })
}

/**
 * The path of an endpoint below the base path.
 *
 * @throws QuillgateError `unknown_endpoint`; ConfigurationError for a parameter that is missing
 */
export function endpointPath(
  name: EndpointName,
  params: Readonly<Record<string, unknown>>,
): string {
  if (!Object.hasOwn(ENDPOINTS, name)) throw unknownEndpoint(name, Object.keys(ENDPOINTS))
  return ENDPOINTS[name].path.replace(/:(\w+)/g, (_, key: string) => {
    const value = Object.hasOwn(params, key) ? params[key] : undefined
    if (typeof value === 'string' && value !== '') return encodeURIComponent(value)
    throw new ConfigurationError(
      `url('${name}')`,
      `needs { ${key} }, a text that is not empty`,
      value,
    )
  })
}
