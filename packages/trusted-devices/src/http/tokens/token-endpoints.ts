import { jsonResponse } from '@quillgate/server/core'
import { bodies, type Endpoint, PUBLIC } from '@quillgate/server/http'
import type { UserDirectory } from '../../devices/users.ts'
import { defineEndpoint } from '../define-endpoint.ts'
import { invalidCredentials, type LoginGuard } from '../passwords/login-guard.ts'
import { PATHS } from '../paths.ts'
import type { SignIn } from '../sessions/sign-in.ts'
import { closed, text, UID } from '../wire.ts'
import type { TokenExchange } from './token-exchange.ts'

// These endpoints read a JSON body and ignore cookies. Another site therefore cannot call them with
// a visitor's session.

const TOKEN = { type: 'text', max: 4096 } as const
const REFUSED_TOKENS = [
  'token_invalid',
  'token_expired',
  'token_reused',
  'device_not_recognized',
  { code: 'inactive_account', status: 401 },
] as const

/** Creates the endpoint `POST /trusted-devices/token`. */
export const postToken = (users: UserDirectory, guard: LoginGuard, signIn: SignIn): Endpoint =>
  defineEndpoint({
    id: 'createToken',
    method: 'POST',
    path: PATHS.token,
    summary: 'Sign in with name and password: registers a device',
    access: PUBLIC,
    body: bodies.properties({
      username: { type: 'text' },
      password: { type: 'text' },
      device_credential: {
        type: 'text',
        optional: true,
        description:
          'The device credential that the latest login returned; the login then uses the same device',
      },
    }),
    answers: {
      200: {
        description: 'Tokens of the device',
        schema: closed({
          access: text('A short-lived JWT for `Authorization: Bearer`'),
          refresh: text('For `token/refresh`, which replaces this token'),
          device_uid: UID,
          device_credential: text('For the next login of this client'),
        }),
      },
    },
    errors: ['invalid_credentials', 'inactive_account', 'rate_limited'],
    // Counts the attempt after the JSON body was parsed. Other sites cannot make a visitor's
    // browser send JSON, so they cannot use up the visitor's attempts.
    async handle({ context, body: { username, password, device_credential: deviceCredential } }) {
      const credentials = deviceCredential === undefined ? [] : [deviceCredential]
      const verify = () => users.verifyCredentials(username, password)
      const user = await guard.checkLogin({ context, username, credentials }, verify)
      if (!user) throw invalidCredentials()
      const how = { transport: 'bearer', deviceCredential } as const
      const { device, tokens } = await signIn.login(user, context, how)
      return jsonResponse({
        access: tokens?.access,
        refresh: tokens?.refresh,
        device_uid: device.uid,
        device_credential: tokens?.deviceCredential,
      })
    },
  })

/** Creates the endpoint `POST /trusted-devices/token/refresh`. */
export const postRefresh = (exchange: TokenExchange): Endpoint =>
  defineEndpoint({
    id: 'refreshToken',
    method: 'POST',
    path: PATHS.tokenRefresh,
    summary: 'Exchange a refresh token for new tokens',
    access: PUBLIC,
    body: bodies.properties({ refresh: TOKEN }),
    answers: {
      200: {
        description: 'New tokens',
        schema: closed({
          access: text('A JWT'),
          refresh: text('Replaces the refresh token that was sent'),
        }),
      },
    },
    errors: [...REFUSED_TOKENS, 'rate_limited', 'device_busy'],
    async handle({ context, body }) {
      return jsonResponse(await exchange.refresh(body.refresh, context))
    },
  })

/** Creates the endpoint `POST /trusted-devices/token/verify`. */
export const postVerify = (exchange: TokenExchange): Endpoint =>
  defineEndpoint({
    id: 'verifyToken',
    method: 'POST',
    path: PATHS.tokenVerify,
    summary: 'Check whether an access or refresh token is valid',
    access: PUBLIC,
    body: bodies.properties({ token: TOKEN }),
    answers: { 200: { description: 'The token is valid', schema: closed({}) } },
    errors: [...REFUSED_TOKENS, 'rate_limited'],
    async handle({ context, body }) {
      await exchange.verify(body.token, context)
      return jsonResponse({})
    },
  })
