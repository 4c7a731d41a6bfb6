import { jsonResponse, serverError } from '@quillgate/server/core'
import {
  cookieName,
  createEndpoints,
  type Endpoint,
  type Endpoints,
  type JsonSchema,
  PUBLIC,
} from '@quillgate/server/http'
import { assetPrefix } from './client-files.ts'
import { defineEndpoint } from './define-endpoint.ts'
import {
  deleteDevice,
  getDevices,
  patchDevice,
  postLogout,
  postRevokeAll,
} from './device-endpoints.ts'
import type { HttpParts } from './http-parts.ts'
import { PATHS } from './paths.ts'
import { deleteSecondFactor } from './second-factor.ts'
import { postReauthenticate } from './tokens/reauthenticate.ts'
import { postRefresh, postToken, postVerify } from './tokens/token-endpoints.ts'
import { DEVICE_SCHEMA } from './wire.ts'

/** Creates the endpoints that the options switch on. @param ready is awaited before one answers */
export function createDeviceEndpoints(parts: HttpParts, ready: () => Promise<void>): Endpoints {
  const { basePath, cors, onUnexpected, assets, users } = parts
  const optional: readonly (readonly [isOn: boolean, ...Endpoint[]])[] = [
    [users.verifyCredentials !== null, postToken(parts), postReauthenticate(parts)],
  ]
  const endpoints: readonly Endpoint[] = [
    getDevices(parts),
    postRefresh(parts),
    postVerify(parts),
    postLogout(parts),
    postRevokeAll(parts),
    getOpenApi(parts),
    ...optional.flatMap(([isOn, ...some]) => (isOn ? some : [])),
    deleteSecondFactor(parts),
    patchDevice(parts),
    deleteDevice(parts),
  ]
  // Fixed paths come first, also those of endpoints that are off, because `/:uid` matches them too.
  const off = optional.flatMap(([isOn, ...some]) => (isOn ? [] : some.map(switchedOff)))
  return createEndpoints({
    endpoints: [...off, ...endpoints, assets.route(assetPrefix(basePath))],
    schemas: { Device: DEVICE_SCHEMA },
    securitySchemes: securitySchemes(parts.cookies.sessionName),
    paths: [basePath],
    ready,
    cors,
    onUnexpected,
  })
}

function switchedOff({ method, path }: Endpoint): Endpoint {
  return {
    method,
    path,
    async respond() {
      throw serverError('not_found', 'There is nothing at this address.')
    },
  }
}

/** `GET /trusted-devices/openapi.json`: the API document. */
const getOpenApi = ({ basePath, openApi }: HttpParts): Endpoint =>
  defineEndpoint({
    id: 'getOpenApi',
    method: 'GET',
    path: basePath + PATHS.openApi,
    summary: 'This document',
    access: PUBLIC,
    answers: {
      200: {
        description: 'OpenAPI 3.1',
        schema: { type: 'object', required: ['openapi', 'info', 'paths'] },
      },
    },
    handle: async () => jsonResponse(openApi()),
  })

function securitySchemes(sessionCookie: string): Readonly<Record<string, JsonSchema>> {
  const cookie = (name: string, description: string): JsonSchema => ({
    type: 'apiKey',
    in: 'cookie',
    name,
    description,
  })
  return {
    bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
    session: cookie(cookieName(sessionCookie, true), 'Over https'),
    sessionOverHttp: cookie(cookieName(sessionCookie, false), 'Over http'),
  }
}
