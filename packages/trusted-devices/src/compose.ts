import { type Database, openDatabase } from '@quillgate/database'
import {
  type CsrfOptions,
  createCsrf,
  createNetwork,
  createRateLimiter,
  deriveKeys,
  type Logger,
  parseBasePath,
  parseRate,
  type RequestContext,
} from '@quillgate/http'
import { createAlertTable } from './alerts/alert-table.ts'
import { alertPersonalData } from './alerts/personal-data.ts'
import { composeAlerts } from './compose-alerts.ts'
import { composeOutbox } from './compose-outbox.ts'
import { createDeviceCache } from './devices/device-cache.ts'
import type { DeviceFact } from './devices/facts.ts'
import type { RegistryParts } from './devices/registry-parts.ts'
import { createDeviceAddresses } from './devices/tables/device-addresses.ts'
import { createDeviceCountries } from './devices/tables/device-countries.ts'
import { createDeviceDatabase } from './devices/tables/device-database.ts'
import { registryPersonalData } from './devices/tables/device-personal-data.ts'
import { createDeviceRemoval } from './devices/tables/device-removal.ts'
import { createDeviceTable } from './devices/tables/device-table.ts'
import { createPastDevices } from './devices/tables/past-devices.ts'
import type { UserIdKind } from './devices/user.ts'
import { createUserDirectory } from './devices/user-directory.ts'
import { openClientFiles } from './http/client-files.ts'
import type { HttpParts, TokenMakers } from './http/http-parts.ts'
import { createBrowserCookies } from './http/sessions/browser-cookies.ts'
import { readOwnSession } from './http/sessions/own-session.ts'
import { createLocate } from './network/location.ts'
import type { TrustedDevicesOptions } from './options.ts'
import type { Outbox } from './outbox/outbox.ts'
import { outboxPersonalData } from './outbox/personal-data.ts'
import { createAddressPolicy } from './privacy/address-policy.ts'
import { createRevocationExchange, type RevocationExchange } from './revocations/revocation-exchange.ts'
import type { Settings } from './settings.ts'
import type { Teller } from './signals/fact-delivery.ts'
import { createAccessTokens } from './tokens/access-token.ts'
import { createDerivedTokens } from './tokens/derived-token.ts'
import { createDeviceCredentials } from './tokens/device-credential.ts'
import { tokenPolicy } from './tokens/token-state.ts'
import { createUuids } from './uuid.ts'

/** Everything that the operations and the endpoints work with, but the publisher. */
export interface Parts {
  readonly database: Database
  readonly registry: RegistryParts
  readonly http: Omit<HttpParts, 'publish'>
  readonly revocations: RevocationExchange
  /** Null while the setting is off. */
  readonly outbox: Outbox | null
}

/** Makes the parts of an instance from checked options. */
export function composeParts<Kind extends UserIdKind>(
  options: TrustedDevicesOptions<Kind>,
  settings: Settings,
  logger: Logger,
  teller: Teller,
): Parts {
  const { secret, prefix = 'quillgate_' } = options
  const now = options.clock ?? Date.now
  const clock = (): number => Math.trunc(now()) // Columns are whole numbers.
  const database = openDatabase(options.database)
  const db = createDeviceDatabase(database, prefix)
  const users = createUserDirectory(options.users, options.userId ?? ('string' as Kind))
  const addressPolicy = createAddressPolicy({
    ...settings,
    storage: settings.addressStorage,
    keys: deriveKeys(secret, 'address'),
  })
  const addresses = createDeviceAddresses(db, addressPolicy)
  const outbox = composeOutbox(options, settings, { db, users, clock, logger, teller })
  const alertTable = createAlertTable(db)
  const cache = createDeviceCache(settings.deviceCacheTtl * 1000, clock)
  const revocations = createRevocationExchange({
    channel: options.revocations ?? null,
    name: `${prefix}revocations`,
    cache,
    executor: db.executor,
    onProblem: (message, error) => logger.warn(message, error),
  })
  const registry = {
    db,
    table: createDeviceTable(db),
    removal: createDeviceRemoval(db),
    past: createPastDevices(db),
    addresses,
    personalData: [
      alertPersonalData(alertTable, addressPolicy),
      outboxPersonalData(db, addressPolicy),
      ...registryPersonalData(db, addresses),
    ],
    forgetAlerts: alertTable.forgetUser,
    countries: createDeviceCountries(db, database.dialect, settings.countryHistory !== null),
    cache,
    announcer: revocations,
    settings,
    filterRules: {
      toUserId: users.toUserId,
      addressForms: addressPolicy.forms,
      hasNetworks: settings.addressStorage === 'full',
    },
    clock,
    createUuid: createUuids(),
    ...(outbox ? { recordFacts: outbox.record, isRecorded: outbox.isRecorded } : {}),
    onLostFacts: (facts: readonly DeviceFact[], error: unknown) => {
      const events = facts.map(({ kind, device }) => `${kind} ${device.uid}`).join(', ')
      logger.error(`The connection broke during a commit. If it was made, these signals are missing: ${events}.`, error)
    },
  }
  const network = createNetwork(options)
  const basePath = parseBasePath(options.basePath ?? '/trusted-devices')
  const http = {
    basePath,
    assets: openClientFiles(),
    alerts: composeAlerts(options, { registry, table: alertTable, users, basePath, logger }),
    cors: options.cors,
    hasOpenApi: options.openApi ?? true,
    registry,
    users,
    network,
    keptAddress: (context: RequestContext) => addressPolicy.store(network.clientAddress(context)),
    locate: createLocate({
      locator: options.locate,
      network,
      timeout: options.locateTimeout ?? 2,
      cacheTtl: options.locateCacheTtl ?? 60,
      clock,
      onError: (error) => logger.warn('The location of a login is unknown, for the lookup failed.', error),
    }),
    csrf: options.csrf ?? createCsrf(csrfOptions(options, logger)),
    limiter: options.rateLimiter ?? createRateLimiter({ clock, key: deriveKeys(secret, 'rate-limit')[0] }),
    loginRate: parseRate(settings.loginRateLimit),
    refreshRate: parseRate(settings.refreshRateLimit),
    findOwnSession: readOwnSession(options.session, users.toUserId),
    cookies: createBrowserCookies({
      network,
      nameKeys: deriveKeys(secret, 'device-cookie-name'),
      sessionAge: settings.refreshTokenLifetime,
      clock,
    }),
    tokens: createTokenMakers(options, settings, clock),
    policy: tokenPolicy(settings),
    onRefresh: options.onRefresh ?? null,
    onUnexpected: (error: unknown) => logger.error('A request to the trusted devices failed.', error),
  }
  return { database, registry, revocations, outbox, http }
}

function csrfOptions<Kind extends UserIdKind>(
  { secret, publicOrigin, trustedProxies }: TrustedDevicesOptions<Kind>,
  logger: Logger,
): CsrfOptions {
  return {
    secret,
    logger,
    ...(publicOrigin === undefined ? {} : { publicOrigin }),
    ...(trustedProxies === undefined ? {} : { trustedProxies }),
  }
}

function createTokenMakers(
  { secret }: Pick<TrustedDevicesOptions, 'secret'>,
  { accessTokenLifetime }: Settings,
  clock: () => number,
): TokenMakers {
  return {
    access: createAccessTokens({ keys: deriveKeys(secret, 'access-token'), lifetime: accessTokenLifetime, clock }),
    refresh: createDerivedTokens(deriveKeys(secret, 'refresh-token')),
    session: createDerivedTokens(deriveKeys(secret, 'session-token')),
    credential: createDeviceCredentials(
      deriveKeys(secret, 'device-credential'),
      deriveKeys(secret, 'device-credential-mark'),
    ),
  }
}
