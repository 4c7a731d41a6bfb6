export type { UserId } from '@quillgate/server/core'
export type { RequestContext } from '@quillgate/server/http'
export { createTrustedDevices } from './create.ts'
export type { RevocationReason } from './devices/device-event.ts'
export type { DeviceFilter } from './devices/revocation/filter.ts'
export { deviceMigrations } from './devices/tables/schema.ts'
export { TrustedDevice } from './devices/tables/trusted-device.ts'
export type {
  Register,
  User,
  Users,
} from './devices/users.ts'
export type { TrustedDevicesErrorCode } from './errors.ts'
export { submitDeviceForm } from './http/device-forms.ts'
export type { Login, LoginOptions } from './http/sessions/login-options.ts'
export type { OwnSession } from './http/sessions/session.ts'
export { fromHeaders } from './network/from-headers.ts'
export type { LocateFunction } from './network/location.ts'
export type { TrustedDevicesOptions } from './options.ts'
export type { UserData } from './privacy/personal-data.ts'
export type { Settings, SettingsInput } from './settings.ts'
export type { Authenticated, TrustedDevices } from './trusted-devices.ts'
