import { ConfigurationError, jsonResponse, type QuillgateError } from '@quillgate/server/core'
import { deviceError } from '../../errors.ts'
import type { HttpParts } from '../http-parts.ts'
import { type Operation, operation } from '../operation.ts'
import { signIn } from '../sessions/sign-in.ts'
import { closed, text, UID } from '../wire.ts'
import { guardLogin } from './login-guard.ts'
import { refreshTokens, verifyToken } from './token-exchange.ts'

// These three read only their JSON body and never a cookie, so no other site can use them in somebody's name.

const TOKEN = { type: 'text', max: 4096 } as const
const REFUSED_TOKENS = [
  'token_invalid',
  'token_expired',
  'token_reused',
  'device_not_recognized',
  'inactive_account',
] as const

/** True when the application checks passwords for us. */
export function hasPasswords({ users }: HttpParts): boolean {
  return users.verifyCredentials !== null
}

/** `POST /trusted-devices/token`: name and password for tokens. */
export const postToken: Operation = operation({
  id: 'createToken',
  summary: 'Sign in with name and password: registers a device',
  access: 'anybody',
  isOn: hasPasswords,
  body: {
    username: { type: 'text' },
    password: { type: 'text' },
    device_credential: {
      type: 'text',
      optional: true,
      description: 'What the latest login gave: the same device again',
    },
  },
  answers: {
    200: {
      description: 'Tokens of the device',
      schema: closed({
        access: text('A JWT for `Authorization: Bearer`, short-lived'),
        refresh: text('For `token/refresh`, which gives a new one'),
        device_uid: UID,
        device_credential: text('For the next login of this client'),
      }),
    },
  },
  errors: {
    401: ['invalid_credentials'],
    403: ['inactive_account'],
    409: ['device_limit_reached'],
    429: ['rate_limited'],
  },
  // The body comes first: what another site can make a browser send is no JSON, and shall not use up its tries.
  async handle(parts, context, { body }) {
    const { username, password, device_credential: deviceCredential } = await body()
    const credentials = deviceCredential === undefined ? [] : [deviceCredential]
    const verify = async () => (await parts.users.verifyCredentials?.(username, password)) ?? null
    const user = await guardLogin(parts, { context, username, credentials }, verify)
    if (!user) throw invalidCredentials()
    const { device, tokens } = await signIn(parts, user, context, {
      transport: 'bearer',
      ...(deviceCredential === undefined ? {} : { deviceCredential }),
    })
    return jsonResponse({
      access: tokens?.access,
      refresh: tokens?.refresh,
      device_uid: device.uid,
      device_credential: tokens?.deviceCredential,
    })
  },
})

/** `POST /trusted-devices/token/refresh`: a refresh token for new tokens. */
export const postRefresh: Operation = operation({
  id: 'refreshToken',
  summary: 'Exchange a refresh token for new tokens',
  access: 'anybody',
  body: { refresh: TOKEN },
  answers: {
    200: {
      description: 'New tokens',
      schema: closed({ access: text('A JWT'), refresh: text('Replaces the one that was sent') }),
    },
  },
  errors: { 401: REFUSED_TOKENS, 429: ['rate_limited'], 503: ['device_busy'] },
  async handle(parts, context, { body }) {
    const { refresh } = await body()
    const { access, refresh: next } = await refreshTokens(parts, refresh, context)
    return jsonResponse({ access, refresh: next })
  },
})

/** `POST /trusted-devices/token/verify`: whether a token is good. */
export const postVerify: Operation = operation({
  id: 'verifyToken',
  summary: 'Ask whether an access or refresh token is good',
  access: 'anybody',
  body: { token: TOKEN },
  answers: {
    200: { description: 'It is', schema: closed({}) },
  },
  errors: { 401: REFUSED_TOKENS, 429: ['rate_limited'] },
  async handle(parts, context, { body }) {
    const { token } = await body()
    await verifyToken(parts, token, context)
    return jsonResponse({})
  },
})

/** Whether this is the password of a user who is signed in. */
export async function isPasswordOf(
  parts: HttpParts,
  userId: string,
  password: string,
): Promise<boolean> {
  const { users } = parts
  const user = await users.find(userId)
  if (!users.verifyCredentials || !user) return false
  const username = users.usernameOf(user)
  if (username === null) {
    throw new ConfigurationError(
      'users.usernameOf',
      'is needed for reauthentication: users have no `username`',
    )
  }
  const verified = await users.verifyCredentials(username, password)
  return verified !== null && users.idOf(verified) === userId
}

/** 401 `invalid_credentials`: the same for an unknown name and for a wrong password. */
export function invalidCredentials(): QuillgateError {
  return deviceError('invalid_credentials', 'The name or the password is wrong.')
}
