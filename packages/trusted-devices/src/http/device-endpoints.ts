import {
  type CsrfUser,
  csrfFailed,
  csrfTokenFrom,
  invalidRequest,
  jsonResponse,
  notFound,
  QuillgateError,
  type RequestContext,
} from '@quillgate/http'
import { parseDeviceChanges } from '../devices/device-changes.ts'
import { editAs, proveDevice } from '../devices/edit.ts'
import { listDevices } from '../devices/list.ts'
import { logOut, revokeAllAs, revokeAs } from '../devices/revocation.ts'
import { parseUuid } from '../uuid.ts'
import { parseMembers, readBody, readOptionalBody } from './body.ts'
import { findSession } from './find-session.ts'
import type { HttpParts } from './http-parts.ts'
import { type Identity, requireIdentity, signInFirst } from './identify.ts'
import { timesRate } from './login-guard.ts'
import { clearSession } from './sign-out.ts'
import { invalidCredentials, isPasswordOf } from './token-endpoints.ts'
import { toDeviceJson } from './wire.ts'

/** `GET /trusted-devices`: the user's devices. */
export async function getDevices(parts: HttpParts, context: RequestContext): Promise<Response> {
  const { record, headers } = await requireIdentity(parts, context)
  const query = new URL(context.request.url).searchParams
  const limit = query.get('limit')
  if (limit !== null && !/^\d{1,3}$/.test(limit)) throw invalidRequest('limit must be a whole number from 1 to 100.')
  const page = await listDevices(parts.registry, record.device.userId, {
    cursor: query.get('cursor'),
    ...(limit === null ? {} : { limit: Number(limit) }),
  })
  const devices = page.devices.map((device) => toDeviceJson(device, record.device.uid))
  return jsonResponse({ devices, next_cursor: page.nextCursor }, headers ? { headers } : {})
}

/** `PATCH /trusted-devices/{uid}`: renames a device or changes its permissions. */
export async function patchDevice(parts: HttpParts, context: RequestContext, uidText: string): Promise<Response> {
  const { record, headers } = await requireActor(parts, context)
  const uid = requireUid(uidText)
  const changes = parseDeviceChanges(await readBody(context.request), WIRE_NAMES)
  const { result } = await editAs(parts.registry, record.device, uid, changes)
  return jsonResponse(toDeviceJson(result, record.device.uid), headers ? { headers } : {})
}

/** `DELETE /trusted-devices/{uid}`: revokes a device. */
export async function deleteDevice(parts: HttpParts, context: RequestContext, uidText: string): Promise<Response> {
  const { user, record, headers } = await requireActor(parts, context)
  const uid = requireUid(uidText)
  const { facts } = await revokeAs(parts.registry, record.device, uid)
  await parts.publish(facts, user)
  return uid === record.device.uid ? signedOut(parts, context) : noContent(headers)
}

/** `POST /trusted-devices/logout`: revokes the device that asks. Nothing but a good token is needed. */
export async function postLogout(parts: HttpParts, context: RequestContext): Promise<Response> {
  const found = await findSession(parts, context)
  if (typeof found === 'string') throw signInFirst(found)
  const { device } = found.record
  await requireCsrf(parts, context, found.transport, { id: device.userId })
  const { result, facts } = await logOut(parts.registry, device)
  if (!result) throw signInFirst('device_not_recognized')
  await parts.publish(facts)
  return signedOut(parts, context)
}

/** `POST /trusted-devices/revoke-all`: revokes every device of the user. */
export async function postRevokeAll(parts: HttpParts, context: RequestContext): Promise<Response> {
  const { user, record, headers } = await requireActor(parts, context)
  const body = parseMembers(await readOptionalBody(context.request), {
    keep_current: { type: 'boolean', optional: true },
  })
  const keepCurrent = body.keep_current ?? false
  const { result, facts } = await revokeAllAs(parts.registry, record.device, keepCurrent)
  await parts.publish(facts, user)
  const answer = keepCurrent ? (headers ?? new Headers()) : clearSession(parts, context)
  return jsonResponse({ revoked_count: result }, { headers: answer })
}

/** `POST /trusted-devices/reauthenticate`: the password again, for what needs a fresh proof. */
export async function postReauthenticate(parts: HttpParts, context: RequestContext): Promise<Response> {
  if (!parts.users.verifyCredentials) throw notFound()
  const { record, headers } = await requireActor(parts, context)
  const { device } = record
  const { password } = parseMembers(await readBody(context.request), { password: { type: 'text' } })
  // Per device, so that an intruder's tries do not keep the owner from it; the far higher one stops many devices.
  const limits = [
    [`reauthenticate:device:${device.uid}`, parts.loginRate],
    [`reauthenticate:user:${device.userId}`, timesRate(parts.loginRate, 20)],
  ] as const
  for (const [key, rate] of limits) await parts.limiter.consume(key, rate)
  if (!(await isPasswordOf(parts, device.userId, password))) throw invalidCredentials()
  for (const [key, rate] of limits) await parts.limiter.forgive(key, rate)
  if (!(await proveDevice(parts.registry, device))) throw signInFirst('device_not_recognized')
  return noContent(headers)
}

const WIRE_NAMES = { name: 'name', canDeleteOthers: 'can_delete_others', canEditOthers: 'can_edit_others' }

/** The device that asks for a change: signed in, and not made to by another site. */
async function requireActor(parts: HttpParts, context: RequestContext): Promise<Identity> {
  const identity = await requireIdentity(parts, context)
  await requireCsrf(parts, context, identity.transport, identity.user)
  return identity
}

async function requireCsrf(
  { csrf }: HttpParts,
  context: RequestContext,
  transport: Identity['transport'],
  user: CsrfUser,
): Promise<void> {
  if (transport === 'bearer' || (await csrf.verify(context, csrfTokenFrom(context.request), user))) return
  throw csrfFailed()
}

function requireUid(text: string): string {
  const uid = parseUuid(text)
  if (uid === null) throw new QuillgateError('invalid_uid', 400, 'The last part of the path must be a UUID.')
  return uid
}

function noContent(headers: Headers = new Headers()): Response {
  headers.set('cache-control', 'no-store')
  return new Response(null, { status: 204, headers })
}

function signedOut(parts: HttpParts, context: RequestContext): Response {
  return noContent(clearSession(parts, context))
}
