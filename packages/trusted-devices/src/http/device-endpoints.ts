import { jsonResponse } from '@quillgate/server/core'
import { bodies, type Endpoint } from '@quillgate/server/http'
import type { Changes } from '../devices/changes.ts'
import { CHANGE_RULES, editAs, forgetSecondFactorAs } from '../devices/edit.ts'
import { listDevices, PAGE_RULES } from '../devices/list.ts'
import { logOut, revokeAllAs, revokeAs } from '../devices/revocation/revoke.ts'
import type { DeviceRecord } from '../devices/tables/device-record.ts'
import type { DeviceTable } from '../devices/tables/device-table.ts'
import type { TrustedDevice } from '../devices/tables/trusted-device.ts'
import type { UserDirectory } from '../devices/users.ts'
import {
  defineEndpoint,
  noContent,
  signedIn,
  signedInToChange,
  signedInToLeave,
  UID_PARAM,
} from './define-endpoint.ts'
import { PATHS } from './paths.ts'
import { type Sessions, signInFirst } from './sessions/sessions.ts'
import { closed, DEVICE_REF, PAGE_SCHEMA, toDeviceJson } from './wire.ts'

const SIGNED_OUT = { description: 'Done; there is no body' }

function toListed(device: TrustedDevice, { device: caller }: DeviceRecord): object {
  return { ...toDeviceJson(device), is_current: device.uid === caller.uid }
}

/** Creates the endpoint `GET /trusted-devices`. */
export const getDevices = (sessions: Sessions, devices: DeviceTable): Endpoint =>
  defineEndpoint({
    id: 'listDevices',
    method: 'GET',
    path: PATHS.list,
    summary: 'List the devices of the user, newest activity first',
    access: signedIn(sessions),
    query: PAGE_RULES,
    answers: { 200: { description: 'One page', schema: PAGE_SCHEMA } },
    async handle({ caller: { record }, query }) {
      const { userId } = record.device
      const page = await listDevices(devices, (eb) => eb('userId', '=', userId), query)
      const listed = page.devices.map((device) => toListed(device, record))
      return jsonResponse({ devices: listed, next_cursor: page.nextCursor })
    },
  })

const EDIT_REFUSALS = [
  'device_not_found',
  'device_editing_disabled',
  'device_lacks_edit_permission',
  'device_session_too_recent',
  'step_up_required',
] as const

/** Creates the endpoint `PATCH /trusted-devices/{uid}`. */
export const patchDevice = (sessions: Sessions, changes: Changes): Endpoint =>
  defineEndpoint({
    id: 'editDevice',
    method: 'PATCH',
    path: PATHS.device,
    summary: 'Rename a device, or change its permissions',
    access: signedInToChange(sessions),
    params: { uid: UID_PARAM },
    body: bodies.properties({
      name: CHANGE_RULES.name,
      can_delete_others: CHANGE_RULES.canDeleteOthers,
      can_edit_others: CHANGE_RULES.canEditOthers,
    }),
    answers: { 200: { description: 'The device as it is now', schema: DEVICE_REF } },
    errors: [...EDIT_REFUSALS, 'device_permission_escalation', 'device_lacks_delete_permission'],
    async handle({ caller: { record }, params, body }) {
      const { name, can_delete_others: canDeleteOthers, can_edit_others: canEditOthers } = body
      const edits = { name, canDeleteOthers, canEditOthers }
      const device = await editAs(changes, record.device, params.uid, edits)
      return jsonResponse(toListed(device, record))
    },
  })

const DELETE_REFUSALS = [
  'device_deletion_disabled',
  'device_lacks_delete_permission',
  'device_session_too_recent',
  'step_up_required',
] as const

/** Creates the endpoint `DELETE /trusted-devices/{uid}`. */
export const deleteDevice = (sessions: Sessions, changes: Changes): Endpoint =>
  defineEndpoint({
    id: 'revokeDevice',
    method: 'DELETE',
    path: PATHS.device,
    summary: 'Revoke a device',
    access: signedInToChange(sessions),
    params: { uid: UID_PARAM },
    answers: { 204: SIGNED_OUT },
    errors: ['device_not_found', ...DELETE_REFUSALS],
    async handle({ context, caller: { user, record, transport }, params }) {
      await revokeAs(changes, user, record.device, params.uid)
      if (params.uid === record.device.uid) sessions.clear(context, transport)
      return noContent()
    },
  })

/** Creates the endpoint `DELETE /trusted-devices/{uid}/second-factor`. */
export const deleteSecondFactor = (sessions: Sessions, changes: Changes): Endpoint =>
  defineEndpoint({
    id: 'forgetSecondFactor',
    method: 'DELETE',
    path: PATHS.secondFactor,
    summary: 'Forget the second factor that is remembered on a device',
    access: signedInToChange(sessions),
    params: { uid: UID_PARAM },
    answers: {
      204: { description: 'Done, even if no second factor was remembered; there is no body' },
    },
    errors: EDIT_REFUSALS,
    async handle({ caller: { record }, params }) {
      await forgetSecondFactorAs(changes, record.device, params.uid)
      return noContent()
    },
  })

/** Creates the endpoint `POST /trusted-devices/logout`. */
export const postLogout = (sessions: Sessions, changes: Changes, users: UserDirectory): Endpoint =>
  defineEndpoint({
    id: 'logOut',
    method: 'POST',
    path: PATHS.logout,
    summary: 'Sign out: revoke the device that sends the request',
    access: signedInToLeave(sessions, users),
    answers: { 204: SIGNED_OUT },
    async handle({ context, caller: { record, transport } }) {
      if (!(await logOut(changes, record.device)))
        throw signInFirst('device_not_recognized', context)
      sessions.clear(context, transport)
      return noContent()
    },
  })

/** Creates the endpoint `POST /trusted-devices/revoke-all`. */
export const postRevokeAll = (sessions: Sessions, changes: Changes): Endpoint =>
  defineEndpoint({
    id: 'revokeAllDevices',
    method: 'POST',
    path: PATHS.revokeAll,
    summary: 'Revoke every device of the user',
    access: signedInToChange(sessions),
    body: bodies.properties(
      {
        keep_current: {
          type: 'boolean',
          optional: true,
          description: 'Keep the device that sends the request; false if left out',
        },
      },
      { isOptional: true },
    ),
    answers: {
      200: {
        description: 'The number of revoked devices',
        schema: closed({ revoked_count: { type: 'integer', minimum: 0 } }),
      },
    },
    errors: DELETE_REFUSALS,
    async handle({ context, caller: { user, record, transport }, body }) {
      const { keep_current: keepCurrent = false } = body
      const revoked = await revokeAllAs(changes, user, record.device, keepCurrent)
      if (!keepCurrent) sessions.clear(context, transport)
      return jsonResponse({ revoked_count: revoked })
    },
  })
