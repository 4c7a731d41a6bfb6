import type { GateParts } from '@quillgate/server'
import { logOnce } from '@quillgate/server/core'
import { parseRate, type RequestContext } from '@quillgate/server/http'
import { createAlertTable } from './alerts/alert-table.ts'
import { alertPersonalData } from './alerts/personal-data.ts'
import { composeAlerts } from './compose-alerts.ts'
import { composeOutbox } from './compose-outbox.ts'
import { createChanges } from './devices/changes.ts'
import { createDeviceCache } from './devices/device-cache.ts'
import type { DeviceFact } from './devices/facts.ts'
import type { RegistryParts } from './devices/registry-parts.ts'
import { createDeviceAddresses } from './devices/tables/device-addresses.ts'
import { createDeviceDatabase } from './devices/tables/device-database.ts'
import { registryPersonalData } from './devices/tables/device-personal-data.ts'
import { createDeviceRemoval } from './devices/tables/device-removal.ts'
import { createDeviceTable } from './devices/tables/device-table.ts'
import { createRevokedDevices } from './devices/tables/revoked-devices.ts'
import { createUserDirectory } from './devices/user-directory.ts'
import { openClientFiles } from './http/client-files.ts'
import type { HttpParts, TokenMakers } from './http/http-parts.ts'
import { createBrowserCookies } from './http/sessions/browser-cookies.ts'
import { createLateCookieLog } from './http/sessions/late-cookie-log.ts'
import { readOwnSession } from './http/sessions/own-session.ts'
import { type InstanceNames, instanceNames } from './instance-names.ts'
import { createLocate } from './network/location.ts'
import type { DevicesConfiguration } from './options.ts'
import type { Outbox } from './outbox/outbox.ts'
import { outboxPersonalData } from './outbox/personal-data.ts'
import { createAddressPolicy } from './privacy/address-policy.ts'
import {
  createRevocationExchange,
  type RevocationExchange,
} from './revocations/revocation-exchange.ts'
import type { Settings } from './settings.ts'
import type { Teller } from './signals/fact-delivery.ts'
import { type ReceiverReports, receiverReports } from './signals/receiver-reports.ts'
import { createAccessTokens } from './tokens/access-token.ts'
import { createDerivedTokens } from './tokens/derived-token.ts'
import { createDeviceCredentials } from './tokens/device-credential.ts'
import { tokenPolicy } from './tokens/token-state.ts'
import { createUuids } from './uuid.ts'

/** Everything that the operations and the endpoints work with, but the publisher. */
export interface Parts {
  readonly registry: RegistryParts
  readonly http: Omit<HttpParts, 'publish'>
  readonly revocations: RevocationExchange
  /** Null while the setting is off. */
  readonly outbox: Outbox | null
  readonly names: InstanceNames
  readonly reports: ReceiverReports
}

/** Makes the parts of an instance from checked options. */
export function composeParts(
  options: DevicesConfiguration,
  { clock, contexts, cors, csrf, database, limiter, logger, network, ...gate }: GateParts,
  teller: Teller,
): Parts {
  const { settings } = options
  const names = instanceNames(options.name, gate)
  const reports = receiverReports(settings.receiverTimeout, logger)
  const db = createDeviceDatabase(database, names.tablePrefix)
  const users = createUserDirectory(options.users)
  const addressPolicy = createAddressPolicy(settings)
  const addresses = createDeviceAddresses(db, addressPolicy)
  const outbox = composeOutbox(options, settings, { db, users, clock, logger, teller, reports })
  const alertTable = createAlertTable(db)
  const cache = createDeviceCache(settings.deviceCacheTtl * 1000, clock)
  const revocations = createRevocationExchange({
    channel: options.revocations ?? null,
    name: `${names.tablePrefix}revocations`,
    cache,
    executor: db.executor,
    onProblem: (message, error) => logger.warn(message, error),
  })
  const table = createDeviceTable(db)
  const revoked = createRevokedDevices(db)
  const createUuid = createUuids()
  const changes = createChanges({
    db,
    table,
    revoked,
    cache,
    announcer: revocations,
    recorder: outbox,
    clock,
    createUuid,
    onLost: (facts, error) => logger.error(inDoubt(facts), error),
  })
  const registry: RegistryParts = {
    changes,
    db,
    table,
    removal: createDeviceRemoval(db),
    revoked,
    addresses,
    personalData: [
      alertPersonalData(db, alertTable, addressPolicy),
      outboxPersonalData(db, addressPolicy),
      ...registryPersonalData(db, addresses),
    ],
    forgetAlerts: alertTable.forgetUser,
    cache,
    settings,
    toUserId: users.toUserId,
    clock,
    createUuid,
  }
  const noteMissingUser = logOnce(logger)
  const { basePath } = options
  const locate = createLocate({
    locator: options.locate,
    network,
    timeout: settings.locateTimeout,
    cacheTtl: settings.locateCacheTtl,
    clock,
    onError: (error) =>
      logger.warn('The location of a login is unknown, for the lookup failed.', error),
    onWrongAnswer: logOnce(logger),
  })
  const http = {
    basePath,
    assets: openClientFiles(),
    alerts: composeAlerts(
      { alerts: options.alerts, publicOrigin: gate.publicOrigin },
      names.keys('alert-link'),
      {
        registry,
        table: alertTable,
        users,
        basePath,
        logger,
      },
    ),
    cors,
    contexts,
    identifyAny: gate.identify,
    identities: new WeakMap(),
    registry,
    users,
    network,
    keptAddress: (context: RequestContext) => addressPolicy.store(network.clientAddress(context)),
    locate: async (context: RequestContext) => addressPolicy.storePlace(await locate(context)),
    csrf,
    limiter: names.limited(limiter),
    loginRate: parseRate(settings.loginRateLimit),
    refreshRate: parseRate(settings.refreshRateLimit),
    findOwnSession: readOwnSession(options.session, users.toUserId),
    cookies: createBrowserCookies({
      network,
      names,
      nameKeys: names.keys('device-cookie-name'),
      clock,
    }),
    tokens: createTokenMakers(names, settings, clock),
    policy: tokenPolicy(settings),
    onUnexpected: (error: unknown) =>
      logger.error('A request to the trusted devices failed.', error),
    noteMissingUser: () => noteMissingUser(MISSING_USER),
    noteLateCookie: createLateCookieLog(logger),
  }
  return { registry, revocations, outbox, http, names, reports }
}

/** The message about events whose commit is unknown. */
function inDoubt(facts: readonly DeviceFact[]): string {
  const events = facts.map(({ kind, device }) =>
    kind === 'refused' ? kind : `${kind} ${device.uid}`,
  )
  return `The connection broke during a commit. If it was made, these signals are missing: ${events.join(', ')}.`
}

const MISSING_USER =
  'users.findById found nobody for a device that is signed in, so the request was answered with 401. Call ' +
  'devices.users.deleted(id) when an account is deleted. If the account exists, check what findById compares: it gets ids ' +
  'as text, or as users.parseId returns them.'

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
    credential: createDeviceCredentials(keys('device-credential'), keys('device-credential-mark')),
  }
}
