export {
  ConfigurationError,
  isQuillgateError,
  QuillgateError,
  type UserId,
} from '@quillgate/server/core'
export type { RequestContext } from '@quillgate/server/http'
export type { JobState as OutboxState, Report as DeliveryReport } from '@quillgate/server/jobs'
export { createTrustedDevices } from './create.ts'
export type { ActingDevice } from './devices/acting-device.ts'
export type { RevocationReason } from './devices/device-event.ts'
export type { DevicePage } from './devices/list.ts'
export type { DeviceRegistry, UserOperations } from './devices/registry.ts'
export type { CleanupReport } from './devices/revocation/cleanup.ts'
export type { DeviceFilter } from './devices/revocation/filter.ts'
export type { RevocationReport } from './devices/revocation/revoke-where.ts'
export { deviceMigrations } from './devices/tables/schema.ts'
export { TrustedDevice } from './devices/trusted-device.ts'
export type { UserExport } from './devices/user-data.ts'
export type {
  BaseUser,
  DeletedUser,
  Register,
  User,
  Users,
} from './devices/users.ts'
export type { TrustedDevicesErrorCode } from './errors.ts'
export type { Authenticated } from './guards/require-trusted.ts'
export type { SecondFactor } from './guards/second-factor.ts'
export { type DeviceFormResult, submitDeviceForm } from './http/device-forms.ts'
export type { EndpointName } from './http/paths.ts'
export type { BearerTokens, Login, LoginOptions } from './http/sessions/login-types.ts'
export type { OwnSession } from './http/sessions/own-session.ts'
export { fromHeaders } from './network/from-headers.ts'
export type { FoundLocation, LocateAnswer, LocateFunction, Locator } from './network/location.ts'
export { type MmdbOptions, mmdb } from './network/mmdb.ts'
export type { TrustedDevicesOptions } from './options.ts'
export type { OutboxOperations } from './outbox/outbox.ts'
export type { OutboxEntry, OutboxPage } from './outbox/outbox-log.ts'
export type { WebhookOptions } from './outbox/webhook-options.ts'
export type { UserData } from './privacy/personal-data.ts'
export type { RevocationChannel, RevocationListener } from './revocations/revocation-channel.ts'
export type { SettingName, Settings, SettingsInput } from './settings.ts'
export type { Settled } from './signals/deliveries.ts'
export type { DeviceSignals, SignalName } from './signals/signals.ts'
export type { TrustedDevices } from './trusted-devices.ts'
