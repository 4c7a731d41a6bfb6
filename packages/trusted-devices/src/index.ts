import { checkGate, type GateParts, type Quillgate } from '@quillgate/server'
import { createReady, getSetting } from '@quillgate/server/core'
import { checkServer, migrate } from '@quillgate/server/database'
import {
  adoptOptions,
  checkUser,
  guardLoginOptions,
  loginOptions,
  settleOptions,
} from './call-options.ts'
import { createClose } from './close.ts'
import { composeParts, type Parts } from './compose.ts'
import { outboxOperations } from './compose-outbox.ts'
import { checkActing } from './devices/acting-device.ts'
import { updateSession } from './devices/application-session.ts'
import { createRegistry, createUserOperations } from './devices/create-registry.ts'
import { deviceMigrations } from './devices/tables/schema.ts'
import type { UserIdKind } from './devices/user.ts'
import { requireTrusted } from './guards/require-trusted.ts'
import { createSecondFactor } from './guards/second-factor.ts'
import { pageMedia } from './http/client-files.ts'
import { createDeviceEndpoints } from './http/endpoints.ts'
import { endpointPath } from './http/paths.ts'
import { adopt } from './http/sessions/adopt.ts'
import { identify } from './http/sessions/identify.ts'
import { signIn } from './http/sessions/sign-in.ts'
import { signOut } from './http/sessions/sign-out.ts'
import { guardLogin } from './http/tokens/login-guard.ts'
import {
  type DevicesConfiguration,
  type EndpointName,
  resolveOptions,
  type TrustedDevices,
  type TrustedDevicesOptions,
} from './options.ts'
import { createOutboxPublisher } from './outbox/outbox-publisher.ts'
import { connectReceivers } from './signals/connect-receivers.ts'
import { RECEIVER_DEADLINE } from './signals/deliveries.ts'
import type { Teller } from './signals/fact-delivery.ts'
import { createPublisher } from './signals/publisher.ts'
import { createSignals, signalBus } from './signals/signals.ts'

/**
 * Creates the trusted devices of an application: every login registers a device, users see and revoke their devices,
 * and the application gets signals about it. The first use connects and creates the tables, or `await gate.ready()` at
 * start.
 *
 * @param gate the application object
 * @throws ConfigurationError that names the option or setting and its value
 *
 * @example
 * const gate = createQuillgate({ secret: process.env.SECRET ?? '', database: 'sqlite:./data/app.sqlite' })
 * const devices = createTrustedDevices(gate, { users: { findById: (id) => accounts.find(id) } })
 * // After the password was checked:
 * await devices.login(user, req)
 */
export function createTrustedDevices<Kind extends UserIdKind = 'string'>(
  gate: Quillgate,
  input: TrustedDevicesOptions<Kind>,
): TrustedDevices {
  checkGate(gate, 'createTrustedDevices')
  const options = resolveOptions(input, gate.parts)
  const { contexts } = gate.parts
  const { settings } = options
  const hasOwnSessions = options.session !== undefined
  const signals = createSignals()
  const teller: Teller = { sender: () => devices, own: signals, bus: signalBus() }
  const composed = composeParts(options, gate.parts, teller)
  const { registry, http, outbox, revocations, reports } = composed

  let isClosed = false
  const ready = createReady(async () => {
    if (isClosed) return // Nothing would end what is begun now.
    await startUp(options, gate.parts, composed)
    await revocations.start()
  })
  const timeout = settings.receiverTimeout
  const publisher = outbox
    ? createOutboxPublisher(outbox, timeout)
    : createPublisher({ teller, users: http.users, timeout, ...reports })
  const parts = { ...http, publish: publisher.publish }
  http.alerts?.connect(signals)
  const { openApi, ...endpoints } = createDeviceEndpoints(parts, ready)
  gate.parts.register({
    name: options.name === undefined ? 'trusted-devices' : `trusted-devices:${options.name}`,
    ...endpoints,
    ready,
    async authenticate(context) {
      await ready()
      const identity = await identify(parts, context)
      if (typeof identity === 'string') return null
      return { user: identity.user, isBearer: identity.transport === 'bearer' }
    },
    close: createClose([
      () => {
        isClosed = true
      },
      ready.settled,
      () => publisher.close(CLOSE_PATIENCE),
      () => http.alerts?.stop(CLOSE_PATIENCE),
      () => (typeof options.locate === 'object' ? options.locate.close?.() : undefined),
      () => revocations.close(),
    ]),
  })

  const devices: TrustedDevices = {
    registry: createRegistry(registry, ready, publisher),
    users: createUserOperations(registry, ready, publisher, parts.users.deleted),
    secondFactor: createSecondFactor(parts, ready),
    gate,
    openApi,
    signals,
    settle: async (options) => publisher.settle(settleOptions(RECEIVER_DEADLINE, options).timeout),
    async login(user, request, given) {
      checkUser('login', user)
      const context = contexts.of(request, 'login')
      const how = loginOptions(given, hasOwnSessions)
      await ready()
      return signIn(parts, user, context, how)
    },
    async adopt(user, request, given) {
      checkUser('adopt', user)
      const context = contexts.of(request, 'adopt')
      const { sessionId } = adoptOptions(given, hasOwnSessions)
      await ready()
      return adopt(parts, user, context, sessionId)
    },
    async guardLogin(request, username, verify, given) {
      const context = contexts.of(request, 'guardLogin')
      const { deviceCredential } = guardLoginOptions(verify, given)
      await ready()
      const credentials =
        deviceCredential === undefined ? parts.cookies.credentials(context) : [deviceCredential]
      return guardLogin(parts, { context, username, credentials }, verify)
    },
    async authenticate(request) {
      const context = contexts.of(request, 'authenticate')
      await ready()
      const identity = await identify(parts, context)
      if (typeof identity === 'string') return null
      return { user: identity.user, device: identity.record.device }
    },
    async requireTrusted(request, requirements) {
      const context = contexts.of(request, 'requireTrusted')
      await ready()
      return requireTrusted(parts, context, requirements)
    },
    async updateSession(device, sessionId) {
      checkActing('updateSession', device)
      await ready()
      return updateSession(registry, device, sessionId)
    },
    async logout(request) {
      const context = contexts.of(request, 'logout')
      await ready()
      return signOut(parts, context)
    },
    outbox: outboxOperations(outbox, ready),
    async sendAlerts() {
      await ready()
      return (await http.alerts?.sendDue()) ?? 0
    },
    url: (name: EndpointName, params: Readonly<Record<string, unknown>> = {}) =>
      parts.basePath + endpointPath(name, params),
    get media() {
      return pageMedia(parts.assets, parts.basePath)
    },
    getSetting: (key) => getSetting(settings, key),
  }
  return devices
}

const CLOSE_PATIENCE = 10 // Seconds.

/** What must be done once before the first request; receivers come last, so that nothing is sent before them. */
async function startUp<Kind extends UserIdKind>(
  { locate, receivers }: DevicesConfiguration<Kind>,
  { database, logger, migrate: isMigrating }: GateParts,
  { outbox, names, http: { alerts } }: Parts,
): Promise<void> {
  if (isMigrating) await migrate(database, deviceMigrations, { prefix: names.tablePrefix })
  else await checkServer(database)
  if (typeof locate === 'object') await locate.ready?.({ logger })
  if (receivers) await connectReceivers(receivers)
  outbox?.start()
  alerts?.start()
}

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
  UserIdKind,
  UserKey,
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
  RefreshReport,
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
export type { ReceiverFailure } from './signals/deliver.ts'
export type { Settled } from './signals/deliveries.ts'
export type { SignalName } from './signals/signal-names.ts'
export type { DeviceSignals } from './signals/signals.ts'
