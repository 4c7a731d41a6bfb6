import type { GateParts } from '@quillgate/server'
import { logOnce, toUserId } from '@quillgate/server/core'
import { parseRate } from '@quillgate/server/http'
import { Changes } from './devices/changes.ts'
import type { DeviceEvent } from './devices/device-event.ts'
import { LiveDevices } from './devices/live-devices.ts'
import type { RegistryParts } from './devices/registry.ts'
import { registryPersonalData } from './devices/tables/device-data.ts'
import { DeviceDatabase } from './devices/tables/device-database.ts'
import { UserDirectory } from './devices/users.ts'
import type { HttpParts, TokenMakers } from './http/http-parts.ts'
import { createLoginCookies } from './http/sessions/login-cookies.ts'
import { type InstanceNames, instanceNames } from './instance-names.ts'
import { createLocate } from './network/location.ts'
import type { DevicesConfiguration } from './options.ts'
import { createOutbox, type Outbox } from './outbox/outbox.ts'
import { outboxPersonalData } from './outbox/personal-data.ts'
import { createReceiversLane } from './outbox/receivers-lane.ts'
import { type AddressPolicy, createAddressPolicy } from './privacy/address-policy.ts'
import type { AllSettings, Settings } from './settings.ts'
import { Deliveries } from './signals/deliveries.ts'
import { Dispatcher, type DispatcherOptions } from './signals/dispatcher.ts'
import { DirectDelivery, Publisher } from './signals/publisher.ts'
import { createAccessTokens } from './tokens/access-token.ts'
import { createDerivedTokens } from './tokens/derived-token.ts'
import { tokenPolicy } from './tokens/rotation-and-reuse.ts'

/** The parts of an instance. */
export interface Parts {
  readonly registry: RegistryParts
  readonly http: HttpParts
  readonly publisher: Publisher
  /** Null while the setting is off. */
  readonly outbox: Outbox | null
  readonly names: InstanceNames
}

/**
 * Creates the parts of an instance from checked options.
 *
 * @param dispatching the signals, and the instance that sends them
 */
export function composeParts(
  options: DevicesConfiguration,
  gate: GateParts,
  dispatching: Pick<DispatcherOptions, 'sender' | 'own' | 'bus'>,
): Parts {
  const settings: AllSettings = { ...options.settings, ...options.limits }
  const { database, logger } = gate
  const { receiverTimeout } = settings
  const names = instanceNames(options.name, gate)
  const db = new DeviceDatabase(database, names.tablePrefix)
  const users = new UserDirectory(options.users)
  const policy = createAddressPolicy(settings)
  const deliveries = new Deliveries()
  const sending = { deliveries, receiverTimeout, logger }
  const dispatcher = new Dispatcher({ ...dispatching, users, ...sending })
  const outbox = composeOutbox(options, gate, { db, dispatcher })
  const delivery = outbox ?? new DirectDelivery({ dispatcher, deliveries, logger })
  const publisher = new Publisher({ delivery, ...sending })
  const sources = { db, users, policy, outbox }
  const registry = composeRegistry(settings, gate, sources)
  const publish = publisher.publish
  const http = composeHttp(options, gate, { names, registry, policy, publish })
  return { registry, http, publisher, outbox, names }
}

interface OutboxSources {
  readonly db: DeviceDatabase
  readonly dispatcher: Dispatcher
}

/** Creates the outbox, if it is on. */
function composeOutbox(
  { settings, limits }: DevicesConfiguration,
  { clock, logger }: GateParts,
  { db, dispatcher }: OutboxSources,
): Outbox | null {
  if (!settings.outbox) return null
  const timeout = limits.outboxTimeout
  return createOutbox({
    ...{ db, toUserId, clock, timeout },
    receivers: createReceiversLane(dispatcher, timeout),
    random: Math.random,
    attempts: limits.outboxAttempts,
    interval: limits.outboxInterval,
    retention: limits.outboxRetention,
    onError: (error) => logger.error(OUTBOX_AWAY, error),
  })
}

const OUTBOX_AWAY = 'The outbox could not be read or written; events stay there until it can.'

interface RegistrySources {
  readonly db: DeviceDatabase
  readonly users: UserDirectory
  readonly policy: AddressPolicy
  readonly outbox: Outbox | null
}

function composeRegistry(
  settings: RegistryParts['settings'],
  { clock, logger }: Pick<GateParts, 'clock' | 'logger'>,
  { db, users, policy, outbox }: RegistrySources,
): RegistryParts {
  const changes = new Changes({
    ...{ db, clock },
    recorder: outbox,
    onLost: (events, error) => logger.error(inDoubt(events), error),
  })
  const live = new LiveDevices({ devices: db.devices, settings, clock })
  const own = [outboxPersonalData(db, policy), ...registryPersonalData(db, policy)]
  return { changes, live, db, users, settings, clock, places: { own, added: [] } }
}

interface HttpSources {
  readonly names: InstanceNames
  readonly registry: RegistryParts
  readonly policy: AddressPolicy
  readonly publish: HttpParts['publish']
}

function composeHttp(
  { locate: given, session }: DevicesConfiguration,
  { clock, csrf, limiter, logger, network, identify }: GateParts,
  { names, registry, policy, publish }: HttpSources,
): HttpParts {
  const { settings } = registry
  const timeout = settings.locateTimeout
  const locate = createLocate({ locate: given, network, timeout, logger })
  return {
    ...{ registry, network, csrf, publish },
    identifyAny: identify,
    identities: new WeakMap(),
    storedAddress: (context) => policy.store(network.clientAddress(context)),
    locate: async (context) => policy.storePlace(await locate(context)),
    limiter: names.limited(limiter),
    loginRate: parseRate(settings.loginRateLimit),
    refreshRate: parseRate(settings.refreshRateLimit),
    readSession: session,
    cookies: createLoginCookies(network, names),
    tokens: createTokenMakers(names, settings, clock),
    policy: tokenPolicy(settings),
    warnOnce: logOnce(logger),
  }
}

/** The message about events whose commit is unknown. */
function inDoubt(events: readonly DeviceEvent[]): string {
  const named = events.map(({ kind, device }) => `${kind} ${device.uid}`)
  return `The connection broke during a commit. If it was made, these signals are missing: ${named.join(', ')}.`
}

function createTokenMakers(
  { keys, audience }: InstanceNames,
  { accessTokenLifetime }: Settings,
  clock: () => number,
): TokenMakers {
  return {
    access: createAccessTokens({
      keys: keys('access-token'),
      audience,
      lifetime: accessTokenLifetime,
      clock,
    }),
    refresh: createDerivedTokens(keys('refresh-token')),
    session: createDerivedTokens(keys('session-token')),
    credential: createDerivedTokens(keys('device-credential')),
  }
}
