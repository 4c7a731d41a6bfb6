import { checkGate, type Quillgate } from '@quillgate/server'
import { checks, field, getSetting, parse } from '@quillgate/server/core'
import { createClientAssets, type RequestContext } from '@quillgate/server/http'
import { compose } from './compose.ts'
import { DeviceRegistry } from './devices/registry.ts'
import { UserOperations } from './devices/user-operations.ts'
import { createDeviceEndpoints } from './http/endpoints.ts'
import { ASSETS, type EndpointName, endpointPath } from './http/paths.ts'
import { SecondFactor } from './http/sessions/second-factor.ts'
import type { Identity } from './http/sessions/session.ts'
import { resolveOptions, type TrustedDevicesOptions } from './options.ts'
import { outboxOperations } from './outbox/outbox.ts'
import { createSessionMethods } from './session-methods.ts'
import { CONSTANTS, type Constants, LONGEST_TIMER, RECEIVER_DEADLINE } from './settings.ts'
import { createSignals, signalBus } from './signals/signals.ts'
import type { TrustedDevices } from './trusted-devices.ts'

const SETTLE = { timeout: field(checks.seconds(LONGEST_TIMER), RECEIVER_DEADLINE) }

/**
 * Adds trusted devices to an application. Every login registers a device, and users can list and
 * revoke their devices. The application receives signals about changes. The adapter that mounts the
 * application object connects the database and creates the tables. `await gate.ready()` does the
 * same.
 *
 * @param gate the application object
 * @throws ConfigurationError for an invalid option or setting. The message contains its name.
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
  return createWithConstants(gate, options, CONSTANTS)
}

/** Creates an instance like {@link createTrustedDevices}. Tests can replace the constants. */
export function createWithConstants<Id = string>(
  gate: Quillgate,
  input: TrustedDevicesOptions<Id>,
  constants: Constants,
): TrustedDevices {
  checkGate(gate, 'createTrustedDevices')
  // The cast is safe, because only `users.parseId` and `users.findById` use the type of ids.
  const options = resolveOptions(input as TrustedDevicesOptions<unknown>, gate.parts, constants)
  const { settings, basePath } = options
  const signals = createSignals()
  const dispatching = { sender: () => devices, own: signals, bus: signalBus() }
  const { registry, http, publisher, outbox, lifetime } = compose(options, gate.parts, dispatching)
  const { ready } = lifetime
  const { contexts } = gate.parts
  const { secondFactorLifetime: maxAge } = constants
  const assets = createClientAssets('@quillgate/trusted-devices-client', import.meta.url)
  async function authenticate(context: RequestContext): Promise<Identity | null> {
    await ready()
    const identity = await http.sessions.identify(context)
    return typeof identity === 'string' ? null : identity
  }
  gate.parts.components.register({
    name: options.name === undefined ? 'trusted-devices' : `trusted-devices:${options.name}`,
    ...createDeviceEndpoints(registry, http, gate.parts, basePath, assets),
    ...lifetime,
    async authenticate(context) {
      const identity = await authenticate(context)
      return identity && { user: identity.user, isBearer: identity.transport === 'bearer' }
    },
  })

  const devices: TrustedDevices = {
    registry: new DeviceRegistry(registry),
    users: new UserOperations(registry),
    secondFactor: new SecondFactor({ registry, contexts, maxAge, ...http }),
    gate,
    name: options.name,
    signals,
    settle: async (options = {}) => publisher.settle(parse(SETTLE, options, 'settle').timeout),
    ...createSessionMethods(registry, contexts, http, options.session !== undefined),
    async authenticate(request) {
      const identity = await authenticate(contexts.of(request, 'authenticate'))
      return identity && { user: identity.user, device: identity.record.device }
    },
    outbox: outboxOperations(outbox, ready),
    url: (name: EndpointName, params: Readonly<Record<string, unknown>> = {}) =>
      basePath + endpointPath(name, params),
    get assets() {
      const base = `${assets.base(basePath + ASSETS)}trusted-devices`
      return { js: [`${base}.js`], css: [`${base}.css`] }
    },
    getSetting: (key) => getSetting(settings, key),
  }
  return devices
}
