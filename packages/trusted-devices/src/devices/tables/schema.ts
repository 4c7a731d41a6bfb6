import { columnTypes, type Dialect, type MigrationSet } from '@quillgate/server/database'
import { MAX_COUNTRIES } from './device-record.ts'
import { deviceTables } from './tables.ts'

/** The schema of this component. */
export const deviceMigrations: MigrationSet = {
  component: 'trusted-devices',
  migrations: [
    {
      name: '0001_devices',
      statements: (dialect, prefix) => [
        ...ownerTable(dialect, prefix),
        ...deviceTable(dialect, prefix),
        ...revokedTable(dialect, prefix),
        ...outboxTable(dialect, prefix),
        ...alertTable(dialect, prefix),
      ],
    },
  ],
}

// Times are milliseconds since the epoch. Tokens are derived (see `tokens/`), so no column contains a secret.

/** An IPv6 address, or a network such as `2001:db8:1234::/48`. */
const ADDRESS_LENGTH = 64
/** The SHA-256 of a session id in base64url. */
const HASH_LENGTH = 43

function ownerTable(dialect: Dialect, prefix: string): string[] {
  const { owner } = deviceTables(prefix)
  const { text, integer, tableSuffix } = columnTypes(dialect)
  return [
    // Every change of a user's devices increments `changes`. 1: the row is new.
    `CREATE TABLE IF NOT EXISTS ${owner} (
  user_id ${text(255)} NOT NULL PRIMARY KEY,
  created_at ${integer} NOT NULL,
  changes ${integer} NOT NULL
)${tableSuffix}`,
  ]
}

function deviceTable(dialect: Dialect, prefix: string): string[] {
  const { device } = deviceTables(prefix)
  const { id, text, integer, boolean, tableSuffix } = columnTypes(dialect)
  return [
    `CREATE TABLE IF NOT EXISTS ${device} (
  uid ${id(36)} NOT NULL PRIMARY KEY,
  user_id ${text(255)} NOT NULL,
  name ${text(255)} NOT NULL,
  city ${text(100)},
  country ${text(100)},
  countries ${text(MAX_COUNTRIES)} NOT NULL,
  address ${id(ADDRESS_LENGTH)},
  address_level ${integer} NOT NULL,
  last_address ${id(ADDRESS_LENGTH)},
  last_address_level ${integer} NOT NULL,
  user_agent ${text(512)} NOT NULL,
  browser ${text(80)},
  os ${text(80)},
  device_type ${text(80)},
  created_at ${integer} NOT NULL,
  signed_in_at ${integer} NOT NULL,
  last_seen_at ${integer} NOT NULL,
  proved_at ${integer},
  can_delete_others ${boolean} NOT NULL,
  can_edit_others ${boolean} NOT NULL,
  token_family ${integer} NOT NULL,
  token_counter ${integer} NOT NULL,
  token_issued_at ${integer} NOT NULL,
  token_confirmed_at ${integer},
  token_late ${integer} NOT NULL,
  credential_counter ${integer} NOT NULL,
  credential_confirmed_at ${integer},
  second_factor_until ${integer},
  application_session_id ${text(255)}
)${tableSuffix}`,
    `CREATE INDEX IF NOT EXISTS ${device}_user ON ${device} (user_id, last_seen_at, uid)`,
    // Reads pages of all devices in their order, however deep.
    `CREATE INDEX IF NOT EXISTS ${device}_activity ON ${device} (last_seen_at, uid)`,
    // Finds addresses that are too old.
    `CREATE INDEX IF NOT EXISTS ${device}_address ON ${device} (address_level, signed_in_at)`,
    `CREATE INDEX IF NOT EXISTS ${device}_last_address ON ${device} (last_address_level, last_seen_at)`,
  ]
}

/** Revoked devices. Of the application's session only a hash is kept, because its store may still have the session. */
function revokedTable(dialect: Dialect, prefix: string): string[] {
  const { revoked } = deviceTables(prefix)
  const { id, text, integer, boolean, tableSuffix } = columnTypes(dialect)
  return [
    `CREATE TABLE IF NOT EXISTS ${revoked} (
  uid ${id(36)} NOT NULL PRIMARY KEY,
  user_id ${text(255)} NOT NULL,
  name ${text(255)} NOT NULL,
  country ${text(100)},
  countries ${text(MAX_COUNTRIES)} NOT NULL,
  created_at ${integer} NOT NULL,
  last_seen_at ${integer} NOT NULL,
  revoked_at ${integer} NOT NULL,
  may_return ${boolean} NOT NULL,
  can_delete_others ${boolean} NOT NULL,
  can_edit_others ${boolean} NOT NULL,
  credential_counter ${integer} NOT NULL,
  credential_confirmed_at ${integer},
  session_hash ${id(HASH_LENGTH)}
)${tableSuffix}`,
    `CREATE INDEX IF NOT EXISTS ${revoked}_user ON ${revoked} (user_id, revoked_at)`,
    `CREATE INDEX IF NOT EXISTS ${revoked}_at ON ${revoked} (revoked_at)`,
  ]
}

function outboxTable(dialect: Dialect, prefix: string): string[] {
  const { outbox } = deviceTables(prefix)
  const { id, text, longText, integer, tableSuffix } = columnTypes(dialect)
  return [
    `CREATE TABLE IF NOT EXISTS ${outbox} (
  position ${GROWING_KEY[dialect]},
  event_id ${id(36)} NOT NULL,
  destination ${id()} NOT NULL,
  user_id ${text(255)} NOT NULL,
  signal_name ${id()} NOT NULL,
  payload ${longText} NOT NULL,
  happened_at ${integer} NOT NULL,
  state ${id(16)} NOT NULL,
  attempts ${integer} NOT NULL,
  next_attempt_at ${integer} NOT NULL,
  last_error ${longText},
  UNIQUE (event_id, destination)
)${tableSuffix}`,
    `CREATE INDEX IF NOT EXISTS ${outbox}_due ON ${outbox} (state, next_attempt_at)`,
    // Finds events of one state, such as dead ones, among all that are kept.
    `CREATE INDEX IF NOT EXISTS ${outbox}_state ON ${outbox} (state, position)`,
    `CREATE INDEX IF NOT EXISTS ${outbox}_user ON ${outbox} (user_id, position)`,
    // Finds the waiting events of one user, however many delivered ones there are.
    `CREATE INDEX IF NOT EXISTS ${outbox}_queue ON ${outbox} (user_id, state, destination, position)`,
  ]
}

/** Positions grow with each insert. Under the owner's lock that is the order of one user's events. */
const GROWING_KEY: Readonly<Record<Dialect, string>> = {
  sqlite: 'integer PRIMARY KEY AUTOINCREMENT',
  postgres: 'bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
  mariadb: 'bigint NOT NULL AUTO_INCREMENT PRIMARY KEY',
}

function alertTable(dialect: Dialect, prefix: string): string[] {
  const { alert } = deviceTables(prefix)
  const { id, text, longText, integer, tableSuffix } = columnTypes(dialect)
  return [
    `CREATE TABLE IF NOT EXISTS ${alert} (
  event_id ${id(36)} NOT NULL PRIMARY KEY,
  user_id ${text(255)} NOT NULL,
  device_uid ${id(36)} NOT NULL,
  kind ${id(16)} NOT NULL,
  scope ${id(32)} NOT NULL,
  details ${longText} NOT NULL,
  happened_at ${integer} NOT NULL,
  state ${id(16)} NOT NULL,
  due_at ${integer} NOT NULL,
  attempts ${integer} NOT NULL,
  mail_id ${id(36)},
  mailed_at ${integer},
  answer ${id(16)},
  muted_until ${integer}
)${tableSuffix}`,
    `CREATE INDEX IF NOT EXISTS ${alert}_user ON ${alert} (user_id, happened_at)`,
    `CREATE INDEX IF NOT EXISTS ${alert}_due ON ${alert} (state, due_at)`,
    `CREATE INDEX IF NOT EXISTS ${alert}_old ON ${alert} (happened_at)`,
  ]
}
