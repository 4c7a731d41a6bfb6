import type { GateParts } from '@quillgate/server'
import { jsonResponse, serverError } from '@quillgate/server/core'
import {
  type ClientAssets,
  cookieName,
  createEndpoints,
  type Endpoint,
  type Endpoints,
  type JsonSchema,
  type OpenApiDocument,
  PUBLIC,
} from '@quillgate/server/http'
import type { RegistryParts } from '../devices/registry.ts'
import { defineEndpoint } from './define-endpoint.ts'
import {
  deleteDevice,
  deleteSecondFactor,
  getDevices,
  patchDevice,
  postLogout,
  postRevokeAll,
} from './device-endpoints.ts'
import type { LoginGuard } from './passwords/login-guard.ts'
import { postReauthenticate } from './passwords/reauthenticate.ts'
import { ASSETS, PATHS } from './paths.ts'
import type { RateLimits } from './rate-limits.ts'
import type { LoginCookies } from './sessions/login-cookies.ts'
import type { Sessions } from './sessions/sessions.ts'
import type { SignIn } from './sessions/sign-in.ts'
import { postRefresh, postToken, postVerify } from './tokens/token-endpoints.ts'
import type { TokenExchange } from './tokens/token-exchange.ts'
import { DEVICE_SCHEMA } from './wire.ts'

/** The objects that handle requests. */
export interface HttpServices {
  readonly cookies: LoginCookies
  readonly sessions: Sessions
  readonly signIn: SignIn
  readonly guard: LoginGuard
  readonly loginLimits: RateLimits
  readonly exchange: TokenExchange
}

/**
 * Creates all endpoints of this package. Endpoints that check passwords respond with 404 if the
 * application has no `users.verifyCredentials`.
 */
export function createDeviceEndpoints(
  registry: RegistryParts,
  { cookies, sessions, signIn, guard, loginLimits, exchange }: HttpServices,
  { components, cors, logger }: GateParts,
  basePath: string,
  assets: ClientAssets,
): Endpoints {
  const { changes, db, ready, users } = registry
  const ofPasswords = [
    postToken(users, guard, signIn),
    postReauthenticate(sessions, registry, loginLimits),
  ]
  // `/:uid` also matches fixed paths such as `/token`, so the fixed paths come first. An endpoint
  // that is switched off is also registered. Otherwise, `/:uid` would match its path.
  const endpoints = [
    ...(users.checksPasswords ? ofPasswords : ofPasswords.map(switchedOff)),
    ...[getDevices(sessions, db.devices), postRefresh(exchange), postVerify(exchange)],
    ...[postLogout(sessions, changes, users), postRevokeAll(sessions, changes)],
    ...[getOpenApi(components.openApi), deleteSecondFactor(sessions, changes)],
    ...[patchDevice(sessions, changes), deleteDevice(sessions, changes)],
  ].map((endpoint): Endpoint => ({ ...endpoint, path: basePath + endpoint.path }))
  return createEndpoints({
    ...{ cors, ready, paths: [basePath] },
    endpoints: [...endpoints, assets.route(basePath + ASSETS)],
    schemas: { Device: DEVICE_SCHEMA },
    securitySchemes: securitySchemes(cookies.sessionName),
    onUnexpected: (error) =>
      logger.error('A request to an endpoint of trusted devices failed.', error),
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

const getOpenApi = (openApi: () => OpenApiDocument): Endpoint =>
  defineEndpoint({
    id: 'getOpenApi',
    method: 'GET',
    path: PATHS.openApi,
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
