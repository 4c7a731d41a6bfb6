import type { GateParts } from '@quillgate/server'
import { createReady, logOnce } from '@quillgate/server/core'
import { parseRate, type RequestContext } from '@quillgate/server/http'
import { Changes } from './devices/changes.ts'
import type { DeviceEvent } from './devices/device-event.ts'
import type { RegistryParts } from './devices/registry.ts'
import { DeviceDatabase } from './devices/tables/device-database.ts'
import { registryPersonalData } from './devices/tables/personal-data.ts'
import { deviceMigrations } from './devices/tables/schema.ts'
import { UserDirectory } from './devices/users.ts'
import { LoginGuard } from './http/passwords/login-guard.ts'
import { RateLimits } from './http/rate-limits.ts'
import { LoginCookies } from './http/sessions/login-cookies.ts'
import type { Tokens } from './http/sessions/session.ts'
import { Sessions } from './http/sessions/sessions.ts'
import { SignIn } from './http/sessions/sign-in.ts'
import { TokenExchange } from './http/tokens/token-exchange.ts'
import { type InstanceNames, instanceNames } from './instance-names.ts'
import { createLocate, type Locate } from './network/location.ts'
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
export function compose(
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
    ...{ ready, db, users, settings, clock, policy: tokenPolicy(settings) },
    changes: new Changes({ db, settings, clock, recorder: outbox, outlet: publisher, onLost }),
    personalData: [outboxPersonalData(db), ...registryPersonalData(db)],
  }
  const http = composeHttp(options, gate, names, registry)
  return { registry, http, publisher, outbox, lifetime: { ready, close } }
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
  { locate: given, session: readSession, settings, constants }: DevicesConfiguration,
  { clock, components, csrf, limiter, logger, network }: GateParts,
  names: InstanceNames,
  registry: RegistryParts,
) {
  const { keys, audience } = names
  const cookies = new LoginCookies(network, names)
  const lifetime = settings.accessTokenLifetime
  const tokens: Tokens = {
    access: new AccessTokens({ keys: keys('access-token'), audience, lifetime, clock }),
    refresh: new DerivedTokens(keys('refresh-token')),
    session: new DerivedTokens(keys('session-token')),
    credential: new DerivedTokens(keys('device-credential')),
  }
  const lookUp = createLocate(given, network, constants.locateTimeout, logger)
  const locate: Locate = async (context) => storedPlace(settings, await lookUp(context))
  const addressOf = (context: RequestContext): string | null =>
    storedAddress(settings, network.clientAddress(context))
  const common = { registry, tokens, storedAddress: addressOf }
  const sessions = new Sessions({
    ...{ ...common, cookies, readSession, csrf, identifyAny: components.identify },
    warnOnce: logOnce(logger),
  })
  const signIn = new SignIn({ ...common, sessions, cookies, network, locate })
  const limitsOf = (rate: string | null): RateLimits =>
    new RateLimits(parseRate(rate), names.limited(limiter), network)
  const loginLimits = limitsOf(settings.loginRateLimit)
  const limits = limitsOf(constants.refreshRateLimit)
  return {
    ...{ cookies, sessions, signIn, loginLimits },
    guard: new LoginGuard({ registry, signIn, tokens, limits: loginLimits }),
    exchange: new TokenExchange({ ...common, limits }),
  }
}

function inDoubt(events: readonly DeviceEvent[]): string {
  const named = events.map(({ kind, device }) => `${kind} ${device.uid}`)
  return `The database connection broke during a commit. If the commit succeeded, these signals were not sent: ${named.join(', ')}.`
}
