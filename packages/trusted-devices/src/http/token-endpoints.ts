import {
  ConfigurationError,
  jsonResponse,
  notFound,
  QuillgateError,
  type RequestContext,
  toUserId,
} from '@quillgate/http'
import { parseMembers, readBody } from './body.ts'
import type { HttpParts } from './http-parts.ts'
import { guardLogin } from './login-guard.ts'
import { signIn } from './sign-in.ts'
import { refreshTokens, verifyToken } from './token-exchange.ts'

// These three read only their JSON body and never a cookie, so no other site can use them in somebody's name.

/** `POST /trusted-devices/token`: name and password for tokens. */
export async function postToken(parts: HttpParts, context: RequestContext): Promise<Response> {
  const { verifyCredentials } = parts.users
  if (!verifyCredentials) throw notFound()
  // The body comes first: what another site can make a browser send is no JSON, and shall not use up its tries.
  const body = parseMembers(await readBody(context.request), {
    username: { type: 'text' },
    password: { type: 'text' },
    device_credential: { type: 'text', optional: true },
  })
  const { username, password, device_credential: deviceCredential } = body
  const credentials = deviceCredential === undefined ? [] : [deviceCredential]
  const user = await guardLogin(parts, { context, username, credentials }, () => verifyCredentials(username, password))
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
}

/** `POST /trusted-devices/token/refresh`: a refresh token for new tokens. */
export async function postRefresh(parts: HttpParts, context: RequestContext): Promise<Response> {
  const { refresh } = parseMembers(await readBody(context.request), { refresh: { type: 'text', max: 4096 } })
  const tokens = await refreshTokens(parts, refresh, context)
  return jsonResponse({ access: tokens.access, refresh: tokens.refresh })
}

/** `POST /trusted-devices/token/verify`: whether a token is good. */
export async function postVerify(parts: HttpParts, context: RequestContext): Promise<Response> {
  const { token } = parseMembers(await readBody(context.request), { token: { type: 'text', max: 4096 } })
  await verifyToken(parts, token)
  return jsonResponse({})
}

/** Whether this is the password of a user who is signed in. */
export async function isPasswordOf(parts: HttpParts, userId: string, password: string): Promise<boolean> {
  const { users } = parts
  const user = await users.find(userId)
  if (!users.verifyCredentials || !user) return false
  const username = users.usernameOf(user)
  if (username === null) {
    throw new ConfigurationError('users.usernameOf', 'is needed for reauthentication: users have no `username`')
  }
  const verified = await users.verifyCredentials(username, password)
  return verified !== null && toUserId(verified.id) === userId
}

/** 401 `invalid_credentials`: the same for an unknown name and for a wrong password. */
export function invalidCredentials(): QuillgateError {
  return new QuillgateError('invalid_credentials', 401, 'This name and password do not match.')
}
