export {
  ConfigurationError,
  type FieldError,
  isQuillgateError,
  KeyError,
  type Logger,
  QuillgateError,
  UnknownSettingError,
  type UserId,
} from '@quillgate/server/core'
export type { OpenApiDocument, RequestContext } from '@quillgate/server/http'
export type { JobState as OutboxState, Report as DeliveryReport } from '@quillgate/server/jobs'
export { createTrustedDevices } from './create.ts'
export type { ActingDevice } from './devices/acting-device.ts'
export type { RevocationReason } from './devices/facts.ts'
export type { DevicePage, ListAllOptions, ListOptions } from './devices/list.ts'
export type { DeviceRegistry, UserOperations } from './devices/registry.ts'
export type { CleanupFailure, CleanupReport } from './devices/revocation/cleanup.ts'
export type { DeviceConditions, DeviceFilter } from './devices/revocation/filter.ts'
export type { RevocationReport } from './devices/revocation/revoke-where.ts'
export type { DeviceChanges } from './devices/tables/device-table.ts'
export { deviceMigrations } from './devices/tables/schema.ts'
export { TrustedDevice, type TrustedDeviceMembers } from './devices/trusted-device.ts'
export type {
  BaseUser,
  DeletedUser,
  Register,
  User,
  Users,
} from './devices/user.ts'
export type { UserExport } from './devices/user-data.ts'
export type { TrustedDevicesErrorCode } from './errors.ts'
export type { Authenticated, SecondFactor, TrustRequirements } from './guard-options.ts'
export {
  type DeviceFormOptions,
  type DeviceFormResult,
  submitDeviceForm,
} from './http/device-forms.ts'
export type { DeviceJson } from './http/wire.ts'
export { fromHeaders, type HeaderNames } from './network/from-headers.ts'
export type {
  FoundLocation,
  LocateAnswer,
  LocateFunction,
  LocationQuestion,
  Locator,
  LocatorStart,
} from './network/location.ts'
export { type MmdbOptions, mmdb } from './network/mmdb.ts'
export type {
  AdoptOptions,
  BearerTokens,
  EndpointName,
  EndpointParams,
  Login,
  LoginOptions,
  OwnSession,
  TrustedDevices,
  TrustedDevicesOptions,
} from './options.ts'
export type { OutboxOperations } from './outbox/operations.ts'
export type { OutboxFilter, ReplayFilter } from './outbox/outbox-filter.ts'
export type { OutboxEntry, OutboxListOptions, OutboxPage } from './outbox/outbox-list.ts'
export type { WebhookOptions } from './outbox/webhook-options.ts'
export type { PageMedia } from './page-media.ts'
export type { RevocationChannel, RevocationListener } from './revocations/revocation-channel.ts'
export type { SettingName, Settings, SettingsInput } from './settings.ts'
export type { Settled } from './signals/deliveries.ts'
export type { SignalName } from './signals/signal-names.ts'
export type { DeviceSignals } from './signals/signals.ts'
