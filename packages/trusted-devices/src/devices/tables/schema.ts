import {
  column,
  defineTables,
  type MigrationSet,
  type RowsOf,
  table,
} from '@quillgate/server/database'
import { createJobTable, type JobTable } from '@quillgate/server/jobs'

// Times are milliseconds since the epoch. No column contains a token, because tokens are calculated
// from columns and a key (see `tokens/`).

const ADDRESS_LENGTH = 64 // Enough for an IPv6 address or a network such as `2001:db8::/48`.
/** The maximum length of a device's countries as JSON. Longer lists lose the oldest countries. */
export const MAX_COUNTRIES = 2000
const HASH_LENGTH = 43 // The SHA-256 hash of a session id in base64url has this length.

/** One row for each user who has ever signed in. The row is also the lock of the user. */
const deviceOwner = table(
  {
    userId: column.text(255),
    createdAt: column.integer(),
    /** Every change of the user's devices adds 1. The value 1 means that the row is new. */
    changes: column.integer(),
  },
  ['userId'],
)

/** One row per live device. */
const device = table(
  {
    uid: column.id(36),
    userId: column.text(255),
    name: column.text(255),
    city: column.text(100).orNull(),
    country: column.text(100).orNull(),
    /** The known countries of the device's logins, as a JSON array. */
    countries: column.text(MAX_COUNTRIES),
    address: column.id(ADDRESS_LENGTH).orNull(),
    /** The network of the address. It can be kept longer than the address. */
    network: column.id(ADDRESS_LENGTH).orNull(),
    lastAddress: column.id(ADDRESS_LENGTH).orNull(),
    lastNetwork: column.id(ADDRESS_LENGTH).orNull(),
    userAgent: column.text(512),
    browser: column.text(80).orNull(),
    os: column.text(80).orNull(),
    deviceType: column.text(80).orNull(),
    createdAt: column.integer(),
    signedInAt: column.integer(),
    lastSeenAt: column.integer(),
    provedAt: column.integer().orNull(),
    canDeleteOthers: column.boolean(),
    canEditOthers: column.boolean(),
    tokenGeneration: column.integer(),
    tokenCounter: column.integer(),
    tokenIssuedAt: column.integer(),
    tokenConfirmedAt: column.integer().orNull(),
    tokenLate: column.integer(),
    credentialCounter: column.integer(),
    credentialConfirmedAt: column.integer().orNull(),
    secondFactorUntil: column.integer().orNull(),
    applicationSessionId: column.text(255).orNull(),
  },
  ['uid'],
  [
    { name: 'user', columns: ['userId', 'lastSeenAt', 'uid'] },
    // Used by lists of all users' devices.
    { name: 'activity', columns: ['lastSeenAt', 'uid'] },
  ],
)

/** One row for each revoked device. */
const deviceRevoked = table(
  {
    uid: column.id(36),
    userId: column.text(255),
    name: column.text(255),
    country: column.text(100).orNull(),
    countries: column.text(MAX_COUNTRIES),
    createdAt: column.integer(),
    lastSeenAt: column.integer(),
    revokedAt: column.integer(),
    mayReturn: column.boolean(),
    canDeleteOthers: column.boolean(),
    canEditOthers: column.boolean(),
    credentialCounter: column.integer(),
    credentialConfirmedAt: column.integer().orNull(),
    sessionHash: column.id(HASH_LENGTH).orNull(),
  },
  ['uid'],
  [
    { name: 'user', columns: ['userId', 'revokedAt'] },
    { name: 'at', columns: ['revokedAt'] },
  ],
)

const definitions = { deviceOwner, device, deviceRevoked }

/** The tables of this component. */
export const deviceTables = defineTables(definitions)
/** The types of the rows, for Kysely's query builder. */
export type DeviceRows = RowsOf<typeof definitions>

/** Returns the table of the outbox. It is used only if the setting `outbox` is on. */
export function outboxTable(prefix: string): JobTable {
  return createJobTable(`${prefix}device_`)
}

/** The migrations that create the tables of this component. */
export const deviceMigrations: MigrationSet = {
  component: 'trusted-devices',
  migrations: [
    {
      name: '0001_devices',
      statements: (dialect, prefix) => [
        ...deviceTables.createStatements(dialect, prefix),
        ...outboxTable(prefix).createStatements(dialect),
      ],
    },
  ],
}
