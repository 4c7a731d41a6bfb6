import {
  type CreateError,
  defineErrors,
  type ErrorTable,
  type ServerErrorCode,
} from '@quillgate/server/core'

/** Every error code of this package. The table in the errors guide is generated from this list. */
export const DEVICE_ERRORS = {
  invalid_credentials: { status: 401, when: 'the user name or the password is wrong' },
  inactive_account: {
    status: 403,
    when: 'the account is blocked; the status is 401 for `token/refresh` and `token/verify`',
  },
  token_invalid: {
    status: 401,
    when: 'the token was replaced, or another application issued it: sign in',
  },
  token_expired: {
    status: 401,
    when: 'the access token has expired: refresh it; or the session has expired: sign in',
  },
  token_reused: {
    status: 401,
    when: 'a refresh token was reused, so the device was revoked: sign in',
  },
  device_not_recognized: { status: 401, when: 'the device of the token was revoked: sign in' },
  invalid_uid: {
    status: 400,
    title: 'Invalid device uid',
    when: 'the `uid` of a device is not a UUID',
  },
  device_not_found: { status: 404, when: 'the user has no such device' },
  device_lacks_delete_permission: {
    status: 403,
    when: 'the device is not allowed to revoke other devices or to change their permissions',
  },
  device_lacks_edit_permission: {
    status: 403,
    when: 'the device is not allowed to edit other devices',
  },
  device_deletion_disabled: { status: 403, when: 'the setting `allowGlobalDelete` is off' },
  device_editing_disabled: { status: 403, when: 'the setting `allowGlobalEdit` is off' },
  device_session_too_recent: {
    status: 403,
    when: 'the device is younger than `deleteDelay`, `editDelay` or the `minAge` of a route',
  },
  device_permission_escalation: {
    status: 403,
    when: 'the device tried to give a permission that it does not have',
  },
  step_up_required: {
    status: 403,
    title: 'Step-up required',
    when:
      'the password is needed again: call `POST /trusted-devices/reauthenticate`, then [repeat the ' +
      'request](trusted-devices-guards.md#step-up)',
  },
  device_busy: {
    status: 503,
    when: 'one device sent too many simultaneous refreshes: wait',
  },
} as const satisfies ErrorTable

type DeviceErrorCode = keyof typeof DEVICE_ERRORS

/**
 * Every error code that this package throws or returns in a response. Includes the codes of the
 * server package.
 */
export type TrustedDevicesErrorCode = DeviceErrorCode | ServerErrorCode

/** Creates an error of this package. */
export const deviceError: CreateError<DeviceErrorCode> = defineErrors(DEVICE_ERRORS)
