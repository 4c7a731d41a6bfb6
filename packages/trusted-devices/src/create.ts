import { checkGate, type GateParts, type Quillgate } from '@quillgate/server'
import {
  ConfigurationError,
  checks,
  createReady,
  field,
  getSetting,
  parse,
  type Ready,
} from '@quillgate/server/core'
import type { RequestContext } from '@quillgate/server/http'
import { composeParts, type Parts } from './compose.ts'
import { DeviceRegistry } from './devices/registry.ts'
import { deviceMigrations } from './devices/tables/schema.ts'
import { UserOperations } from './devices/user-data.ts'
import { SecondFactor } from './guards/second-factor.ts'
import { openClientFiles, pageAssets } from './http/client-files.ts'
import { createDeviceEndpoints } from './http/endpoints.ts'
import type { HttpParts } from './http/http-parts.ts'
import { type EndpointName, endpointPath } from './http/paths.ts'
import { type Identity, identify } from './http/sessions/identify.ts'
import { type DevicesConfiguration, resolveOptions, type TrustedDevicesOptions } from './options.ts'
import type { Outbox, OutboxOperations } from './outbox/outbox.ts'
import { createSessionMethods } from './session-methods.ts'
import { LIMITS, type Limits, LONGEST_TIMER } from './settings.ts'
import { RECEIVER_DEADLINE } from './signals/deliveries.ts'
import { createSignals, signalBus } from './signals/signals.ts'
import type { TrustedDevices } from './trusted-devices.ts'

/**
 * Adds trusted devices to an application: every login registers a device, users can list and revoke
 * their devices, and the application receives signals about changes. The first call connects to the
 * database and creates the tables. To do that at startup, call `await gate.ready()`.
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
export function createTrustedDevices<Id = string>(
  gate: Quillgate,
  options: TrustedDevicesOptions<Id>,
): TrustedDevices {
  return createWithLimits(gate, options, LIMITS)
}

/** Creates trusted devices with other limits, for tests. */
export function createWithLimits<Id = string>(
  gate: Quillgate,
  input: TrustedDevicesOptions<Id>,
  limits: Limits,
): TrustedDevices {
  checkGate(gate, 'createTrustedDevices')
  // `users.findById` gets what `users.parseId` returns, so the type of ids does not matter here.
  const options = resolveOptions(input as TrustedDevicesOptions<unknown>, gate.parts, limits)
  const { settings } = options
  const signals = createSignals()
  const dispatching = { sender: () => devices, own: signals, bus: signalBus() }
  const composed = composeParts(options, gate.parts, dispatching)
  const { registry, http: parts, publisher, outbox } = composed
  const lifetime = createLifetime(options, gate.parts, composed)
  const { ready } = lifetime
  const { basePath } = options
  const { contexts } = gate.parts
  const assets = openClientFiles()
  const endpoints = createDeviceEndpoints(parts, gate.parts, { basePath, assets, ready })
  const authenticate = createAuthenticate(parts, ready)
  gate.parts.register({
    name: options.name === undefined ? 'trusted-devices' : `trusted-devices:${options.name}`,
    ...endpoints,
    ...lifetime,
    async authenticate(context) {
      const identity = await authenticate(context)
      return identity && { user: identity.user, isBearer: identity.transport === 'bearer' }
    },
  })

  const devices: TrustedDevices = {
    registry: new DeviceRegistry(registry, ready, publisher),
    users: new UserOperations(registry, ready, publisher),
    secondFactor: new SecondFactor(parts, contexts, ready),
    gate,
    name: options.name,
    signals,
    settle: async (options = {}) => publisher.settle(parse(SETTLE, options, 'settle').timeout),
    ...createSessionMethods(parts, contexts, ready),
    async authenticate(request) {
      const identity = await authenticate(contexts.of(request, 'authenticate'))
      return identity && { user: identity.user, device: identity.record.device }
    },
    outbox: outboxOperations(outbox, ready),
    url: (name: EndpointName, params: Readonly<Record<string, unknown>> = {}) =>
      basePath + endpointPath(name, params),
    get assets() {
      return pageAssets(assets, basePath)
    },
    getSetting: (key) => getSetting(settings, key),
  }
  return devices
}

function createAuthenticate(parts: HttpParts, ready: () => Promise<void>) {
  return async (context: RequestContext): Promise<Identity | null> => {
    await ready()
    const identity = await identify(parts, context)
    return typeof identity === 'string' ? null : identity
  }
}

/**
 * Creates the outbox operations. If the outbox is off, each of them throws a ConfigurationError.
 */
function outboxOperations(outbox: Outbox | null, ready: () => Promise<void>): OutboxOperations {
  const opened = async (): Promise<Outbox> => {
    if (!outbox) throw new ConfigurationError('settings.outbox', 'must be true for this')
    await ready()
    return outbox
  }
  return {
    list: async (options) => (await opened()).list(options),
    replay: async (filter) => (await opened()).replay(filter),
    deliver: async () => (await opened()).deliver(),
  }
}

const CLOSE_TIMEOUT = 10 // Seconds.
const SETTLE = { timeout: field(checks.seconds(LONGEST_TIMER), RECEIVER_DEADLINE) }

/** Creates the functions `ready` and `close` of an instance. */
function createLifetime(
  options: DevicesConfiguration,
  gate: GateParts,
  { outbox, names, publisher }: Parts,
): { readonly ready: Ready; readonly close: () => Promise<void> } {
  const { receivers } = options
  let isClosed = false
  const ready = createReady(async () => {
    if (isClosed) return // Starting after close() would leave timers and connections open.
    await gate.createTables(deviceMigrations, names.tablePrefix)
    // Connects the receivers before the outbox starts, so that no event is sent before they are
    // connected.
    await receivers?.()
    outbox?.start()
  })
  async function close(): Promise<void> {
    isClosed = true
    await ready.settled()
    await publisher.close(CLOSE_TIMEOUT)
  }
  return { ready, close }
}
