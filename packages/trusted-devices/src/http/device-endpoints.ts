import { jsonResponse } from '@quillgate/server/core'
import type { RequestContext } from '@quillgate/server/http'
import { CHANGE_RULES } from '../devices/device-changes.ts'
import { editAs } from '../devices/operations/edit.ts'
import { listDevices, PAGE_RULES } from '../devices/operations/list.ts'
import { logOut, revokeAllAs, revokeAs } from '../devices/operations/revocation.ts'
import type { BaseUser } from '../devices/user.ts'
import type { HttpParts } from './http-parts.ts'
import { noContent } from './no-content.ts'
import { type Operation, operation } from './operation.ts'
import { findSession } from './sessions/find-session.ts'
import { signInFirst } from './sessions/identify.ts'
import { requireCsrf } from './sessions/require-csrf.ts'
import { clearSession } from './sessions/sign-out.ts'
import { closed, DEVICE_REF, PAGE_SCHEMA, toDeviceJson } from './wire.ts'

const SIGNED_OUT = { description: 'Done; there is no body' }

/** `GET /trusted-devices`: the user's devices. */
export const getDevices: Operation = operation({
  id: 'listDevices',
  summary: 'List the devices of the user, newest activity first',
  access: 'device',
  query: PAGE_RULES,
  answers: { 200: { description: 'One page', schema: PAGE_SCHEMA } },
  async handle(parts, _context, { identity: { record, headers }, query }) {
    const { limit, cursor } = query()
    const page = await listDevices(parts.registry, record.device.userId, {
      ...(limit === undefined ? {} : { limit }),
      ...(cursor === undefined ? {} : { cursor }),
    })
    const devices = page.devices.map((device) => toDeviceJson(device, record.device.uid))
    return jsonResponse({ devices, next_cursor: page.nextCursor }, headers ? { headers } : {})
  },
})

/** `PATCH /trusted-devices/{uid}`: renames a device or changes its permissions. */
export const patchDevice: Operation = operation({
  id: 'editDevice',
  summary: 'Rename a device, or change what it may do',
  access: 'change',
  hasUid: true,
  body: {
    name: CHANGE_RULES.name,
    can_delete_others: CHANGE_RULES.canDeleteOthers,
    can_edit_others: CHANGE_RULES.canEditOthers,
  },
  answers: { 200: { description: 'The device as it is now', schema: DEVICE_REF } },
  errors: {
    403: [
      'device_editing_disabled',
      'device_lacks_edit_permission',
      'device_permission_escalation',
      'device_lacks_delete_permission',
      'device_session_too_recent',
      'step_up_required',
    ],
    404: ['device_not_found'],
  },
  async handle(parts, _context, { identity: { record, headers }, uid, body }) {
    const target = uid()
    const {
      name,
      can_delete_others: canDeleteOthers,
      can_edit_others: canEditOthers,
    } = await body()
    const { result } = await editAs(parts.registry, record.device, target, {
      ...(name === undefined ? {} : { name }),
      ...(canDeleteOthers === undefined ? {} : { canDeleteOthers }),
      ...(canEditOthers === undefined ? {} : { canEditOthers }),
    })
    return jsonResponse(toDeviceJson(result, record.device.uid), headers ? { headers } : {})
  },
})

const DELETE_REFUSALS = [
  'device_deletion_disabled',
  'device_lacks_delete_permission',
  'device_session_too_recent',
  'step_up_required',
] as const

/** `DELETE /trusted-devices/{uid}`: revokes a device. */
export const deleteDevice: Operation = operation({
  id: 'revokeDevice',
  summary: 'Revoke a device',
  access: 'change',
  hasUid: true,
  answers: { 204: SIGNED_OUT },
  errors: { 403: DELETE_REFUSALS, 404: ['device_not_found'] },
  async handle(parts, context, { identity: { user, record, headers }, uid }) {
    const target = uid()
    const { facts } = await revokeAs(parts.registry, record.device, target)
    await parts.publish(facts, user)
    return target === record.device.uid ? signedOut(parts, context) : noContent(headers)
  },
})

/** `POST /trusted-devices/logout`: revokes the device that asks. Nothing but a good token is needed. */
export const postLogout: Operation = operation({
  id: 'logOut',
  summary: 'Sign out: revoke the device that asks',
  access: 'own',
  answers: { 204: SIGNED_OUT },
  async handle(parts, context) {
    const found = await findSession(parts, context)
    if (typeof found === 'string') throw signInFirst(found)
    const { device } = found.record
    await requireCsrf(parts, context, found.transport, await ownerOf(parts, device.userId))
    const { result, facts } = await logOut(parts.registry, device)
    if (!result) throw signInFirst('device_not_recognized')
    await parts.publish(facts)
    return signedOut(parts, context)
  },
})

/** `POST /trusted-devices/revoke-all`: revokes every device of the user. */
export const postRevokeAll: Operation = operation({
  id: 'revokeAllDevices',
  summary: 'Revoke every device of the user',
  access: 'change',
  body: {
    keep_current: {
      type: 'boolean',
      optional: true,
      description: 'Keep the device that asks; false if left out',
    },
  },
  bodyRequired: false,
  answers: {
    200: {
      description: 'How many were revoked',
      schema: closed({ revoked_count: { type: 'integer', minimum: 0 } }),
    },
  },
  errors: { 403: DELETE_REFUSALS },
  async handle(parts, context, { identity: { user, record, headers }, body }) {
    const { keep_current: keepCurrent = false } = await body()
    const { result, facts } = await revokeAllAs(parts.registry, record.device, keepCurrent)
    await parts.publish(facts, user)
    const answer = keepCurrent ? (headers ?? new Headers()) : clearSession(parts, context)
    return jsonResponse({ revoked_count: result }, { headers: answer })
  },
})

/** The page's token was made for the id as the application spells it. Who cannot be found may sign out all the same. */
async function ownerOf({ users }: HttpParts, userId: string): Promise<BaseUser> {
  return (await users.find(userId).catch(() => null)) ?? { id: userId }
}

function signedOut(parts: HttpParts, context: RequestContext): Response {
  return noContent(clearSession(parts, context))
}
