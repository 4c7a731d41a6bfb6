import { migrate } from '@quillgate/database'
import { problemResponse, type RequestContext } from '@quillgate/http'
import { checkOptions } from './check-options.ts'
import { composeParts } from './compose.ts'
import { createOperations } from './devices/operations.ts'
import { logOut } from './devices/revocation.ts'
import { deviceMigrations } from './devices/schema.ts'
import type { UserIdKind } from './devices/user.ts'
import { createApp, endpointPath } from './http/app.ts'
import { findSession } from './http/find-session.ts'
import { identify } from './http/identify.ts'
import { signIn } from './http/sign-in.ts'
import type { Logger, TrustedDevices, TrustedDevicesOptions } from './options.ts'
import { createPublisher, type Publish } from './publish.ts'
import { createReady } from './ready.ts'
import { readSetting, resolveSettings } from './settings.ts'
import { createSignals } from './signals/signals.ts'

/**
 * Creates the trusted devices of an application: every login registers a device, users see and revoke their devices,
 * and the application hears of it through signals. Synchronous: the first use connects and creates the tables, or
 * `await devices.ready()` does it at the start.
 *
 * @throws ConfigurationError that names the option or setting and its value
 *
 * @example
 * export const devices = createTrustedDevices({
 *   secret: process.env.SECRET,
 *   database: 'sqlite:./data/app.sqlite',
 *   users: { findById: (id) => accounts.find(id) },
 *   settings: { maxDevices: 5 },
 * })
 * // After the password was checked:
 * const { headers } = await devices.login(user, context, { transport: 'cookie' })
 */
export function createTrustedDevices<Kind extends UserIdKind = 'string'>(
  options: TrustedDevicesOptions<Kind>,
): TrustedDevices {
  checkOptions(options)
  const settings = resolveSettings(options.settings)
  const { basePath = '/trusted-devices', logger = consoleLogger } = options
  const { database, registry, http } = composeParts(options, settings, logger)
  const signals = createSignals()

  const ready = createReady(async () => {
    const { prefix, receivers } = options
    if (options.migrate !== false) await migrate(database, deviceMigrations, prefix === undefined ? {} : { prefix })
    if (typeof options.locate === 'object') await options.locate.ready?.()
    await receivers?.()
  })
  // Facts are told in the name of the instance, which is made of what tells them.
  const publish: Publish = (facts, user) => publisher.publish(facts, user)
  const parts = { ...http, publish }
  const app = createApp(parts, basePath)

  const devices: TrustedDevices = {
    ...createOperations(registry, ready, publish),
    signals,
    ready,
    async close() {
      await publisher.settle(CLOSE_PATIENCE)
      if (typeof options.locate === 'object') await options.locate.close?.()
      await database.close()
    },
    async fetch(request, context = {}) {
      try {
        await ready()
        return await app.fetch({ ...context, request })
      } catch (error) {
        return problemResponse(error, { onUnexpected: parts.onUnexpected })
      }
    },
    handles(request) {
      const { pathname } = new URL(typeof request === 'string' || request instanceof URL ? request : request.url)
      return pathname === basePath || pathname.startsWith(`${basePath}/`)
    },
    async login(user, context, loginOptions) {
      await ready()
      return signIn(parts, user, context, loginOptions)
    },
    async authenticate(context) {
      await ready()
      const identity = await identify(parts, context)
      if (typeof identity === 'string') return null
      const { user, record, headers } = identity
      return { user, device: record.device, ...(headers ? { headers } : {}) }
    },
    async logout(context: RequestContext) {
      await ready()
      const found = await findSession(parts, context)
      if (typeof found !== 'string') await publish((await logOut(registry, found.record.device)).facts)
      const headers = new Headers()
      if (parts.cookies.session(context) !== null) parts.cookies.clearSession(headers, context)
      return { headers }
    },
    url: (name, { uid } = {}) => basePath + endpointPath(name, uid),
    getSetting: (key) => readSetting(settings, key),
  }
  const publisher = createPublisher({
    instance: devices,
    signals,
    findUser: parts.users.find,
    timeout: settings.receiverTimeout,
    onReceiverError:
      options.onReceiverError ??
      ((error, { signal, receiverId }) =>
        logger.error(`A receiver of ${signal} failed${receiverId === null ? '' : ` (${receiverId})`}.`, error)),
  })
  return devices
}

const CLOSE_PATIENCE = 10 // Seconds.

const consoleLogger: Logger = {
  // biome-ignore lint/suspicious/noConsole: the default place for what no answer may show.
  warn: (message, error) => console.warn(message, error),
  // biome-ignore lint/suspicious/noConsole: as above.
  error: (message, error) => console.error(message, error),
}

export { ConfigurationError, QuillgateError, type RequestContext } from '@quillgate/http'
export type { ActingDevice } from './devices/change.ts'
export type { CleanupReport } from './devices/cleanup.ts'
export type { DeviceChanges } from './devices/device-table.ts'
export type { RevocationReason } from './devices/facts.ts'
export type { DeviceOperations, UserId } from './devices/instance.ts'
export type { DevicePage, ListOptions } from './devices/list.ts'
export { deviceMigrations } from './devices/schema.ts'
export { TrustedDevice, type TrustedDeviceMembers } from './devices/trusted-device.ts'
export type { BaseUser, DeletedUser, Register, User, UserIdKind, Users } from './devices/user.ts'
export type { DeviceJson } from './http/wire.ts'
export { fromHeaders, type HeaderNames } from './network/from-headers.ts'
export type { FoundLocation, LocateFunction, LocationQuestion, Locator } from './network/location.ts'
export type {
  Authenticated,
  BearerTokens,
  EndpointName,
  Logger,
  Login,
  LoginOptions,
  TrustedDevices,
  TrustedDevicesOptions,
} from './options.ts'
export type { Settings } from './settings.ts'
export type { ReceiverFailure } from './signals/deliver.ts'
export type { DeviceSignals } from './signals/signals.ts'
