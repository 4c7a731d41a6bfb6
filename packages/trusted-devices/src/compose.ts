import type { GateParts } from '@quillgate/server'
import { createReady, logOnce } from '@quillgate/server/core'
import { parseRate } from '@quillgate/server/http'
import { Changes } from './devices/changes.ts'
import type { DeviceEvent } from './devices/device-event.ts'
import type { RegistryParts } from './devices/registry.ts'
import { DeviceDatabase } from './devices/tables/device-database.ts'
import { registryPersonalData } from './devices/tables/personal-data.ts'
import { deviceMigrations } from './devices/tables/schema.ts'
import { UserDirectory } from './devices/users.ts'
import type { HttpParts } from './http/sessions/http-parts.ts'
import { LoginCookies } from './http/sessions/login-cookies.ts'
import { type InstanceNames, instanceNames } from './instance-names.ts'
import { createLocate } from './network/location.ts'
import type { DevicesConfiguration } from './options.ts'
import { createOutbox, type Outbox } from './outbox/outbox.ts'
import { outboxPersonalData } from './outbox/personal-data.ts'
import { createReceiversHandler } from './outbox/receivers-handler.ts'
import { storedAddress, storedPlace } from './privacy/address-policy.ts'
import type { AllSettings, Constants } from './settings.ts'
import { Deliveries } from './signals/deliveries.ts'
import { Dispatcher, type DispatcherOptions } from './signals/dispatcher.ts'
import { Publisher } from './signals/publisher.ts'
import { AccessTokens } from './tokens/access-token.ts'
import { DerivedTokens } from './tokens/derived-token.ts'
import { tokenPolicy } from './tokens/rotation-and-reuse.ts'

const CLOSE_TIMEOUT = 10 // Seconds.

/** Creates and connects the internal objects of an instance. */
export function composeParts(
  options: DevicesConfiguration,
  gate: GateParts,
  dispatching: Pick<DispatcherOptions, 'sender' | 'own' | 'bus'>,
) {
  const settings: AllSettings = { ...options.settings, ...options.constants }
  const { clock, database, logger } = gate
  const { receiverTimeout } = settings
  const names = instanceNames(options.name, gate)
  const db = new DeviceDatabase(database, names.tablePrefix)
  const users = new UserDirectory(options.users)
  const sending = { deliveries: new Deliveries(), receiverTimeout, logger }
  const dispatcher = new Dispatcher({ ...dispatching, users, ...sending })
  const outbox = settings.outbox ? composeOutbox(settings, gate, db, dispatcher) : null
  const publisher = new Publisher({ dispatcher, outbox, ...sending })
  let isClosed = false
  const ready = createReady(async () => {
    if (isClosed) return // Timers that start after close() would never be stopped.
    await gate.createTables(deviceMigrations, names.tablePrefix)
    // The receivers must be connected before the outbox sends events.
    await options.receivers?.()
    outbox?.queue.start()
  })
  async function close(): Promise<void> {
    isClosed = true
    await ready.settled()
    await publisher.close(CLOSE_TIMEOUT)
  }
  const onLost = (events: readonly DeviceEvent[], error: unknown): void =>
    logger.error(inDoubt(events), error)
  const registry: RegistryParts = {
    ...{ ready, db, users, settings, clock },
    changes: new Changes({ db, settings, clock, recorder: outbox, outlet: publisher, onLost }),
    personalData: {
      outbox: outboxPersonalData(db),
      registry: registryPersonalData(db),
      added: [],
    },
  }
  const parts: HttpParts = { registry, ...composeHttp(options, gate, names) }
  return { parts, publisher, outbox, lifetime: { ready, close } }
}

function composeOutbox(
  constants: Constants,
  { clock, logger }: GateParts,
  db: DeviceDatabase,
  dispatcher: Dispatcher,
): Outbox {
  const timeout = constants.outboxTimeout
  return createOutbox({
    ...{ db, clock, timeout },
    handler: createReceiversHandler(dispatcher, timeout),
    random: Math.random,
    attempts: constants.outboxAttempts,
    interval: constants.outboxInterval,
    retention: constants.outboxRetention,
    onError: (error) => logger.error(OUTBOX_AWAY, error),
  })
}

const OUTBOX_AWAY =
  'The outbox could not be read or written. Its events stay in the database and are delivered later.'

function composeHttp(
  { locate: given, session, settings, constants }: DevicesConfiguration,
  { clock, components, contexts, csrf, limiter, logger, network }: GateParts,
  names: InstanceNames,
): Omit<HttpParts, 'registry'> {
  const locate = createLocate(given, network, constants.locateTimeout, logger)
  const { keys, audience } = names
  const lifetime = settings.accessTokenLifetime
  return {
    ...{ contexts, network, csrf },
    identifyAny: components.identify,
    identities: new WeakMap(),
    storedAddress: (context) => storedAddress(settings, network.clientAddress(context)),
    locate: async (context) => storedPlace(settings, await locate(context)),
    limiter: names.limited(limiter),
    loginRate: parseRate(settings.loginRateLimit),
    refreshRate: parseRate(constants.refreshRateLimit),
    readSession: session,
    cookies: new LoginCookies(network, names),
    tokens: {
      access: new AccessTokens({ keys: keys('access-token'), audience, lifetime, clock }),
      refresh: new DerivedTokens(keys('refresh-token')),
      session: new DerivedTokens(keys('session-token')),
      credential: new DerivedTokens(keys('device-credential')),
    },
    policy: tokenPolicy(settings),
    warnOnce: logOnce(logger),
  }
}

function inDoubt(events: readonly DeviceEvent[]): string {
  const named = events.map(({ kind, device }) => `${kind} ${device.uid}`)
  return `The database connection broke during a commit. If the commit succeeded, these signals were not sent: ${named.join(', ')}.`
}
