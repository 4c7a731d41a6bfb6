import { columnTypes, type Dialect, type Migration } from '@quillgate/server/database'
import { deviceTables } from '../tables.ts'

/** The tables of the first version. */
export const createDevices: Migration = { name: '0001_devices', statements: createTables }

/** An address, or a keyed hash in its place: `hmac-sha256:` and 64 hexadecimal digits. */
const ADDRESS_LENGTH = 80

/** Times are milliseconds since the epoch; tokens are derived (see `tokens/`), so no column holds a secret. */
function createTables(dialect: Dialect, prefix: string): string[] {
  const { owner, device, past, outbox } = deviceTables(prefix)
  const { id, text, longText, integer, boolean, tableSuffix } = columnTypes(dialect)
  return [
    `CREATE TABLE IF NOT EXISTS ${owner} (
  user_id ${text(255)} NOT NULL PRIMARY KEY,
  created_at ${integer} NOT NULL
)${tableSuffix}`,
    `CREATE TABLE IF NOT EXISTS ${device} (
  uid ${id(36)} NOT NULL PRIMARY KEY,
  user_id ${text(255)} NOT NULL,
  name ${text(255)} NOT NULL,
  city ${text(100)},
  country ${id(2)},
  address ${id(ADDRESS_LENGTH)},
  last_address ${id(ADDRESS_LENGTH)},
  user_agent ${text(512)} NOT NULL,
  browser ${text(80)},
  os ${text(80)},
  device_type ${text(80)},
  created_at ${integer} NOT NULL,
  last_seen_at ${integer} NOT NULL,
  proved_at ${integer} NOT NULL,
  can_delete_others ${boolean} NOT NULL,
  can_edit_others ${boolean} NOT NULL,
  token_family ${integer} NOT NULL,
  token_counter ${integer} NOT NULL,
  token_issued_at ${integer} NOT NULL,
  token_confirmed_at ${integer},
  credential_counter ${integer} NOT NULL
)${tableSuffix}`,
    `CREATE INDEX IF NOT EXISTS ${device}_user ON ${device} (user_id, last_seen_at, uid)`,
    `CREATE INDEX IF NOT EXISTS ${device}_seen ON ${device} (last_seen_at)`,
    `CREATE TABLE IF NOT EXISTS ${past} (
  uid ${id(36)} NOT NULL PRIMARY KEY,
  user_id ${text(255)} NOT NULL,
  name ${text(255)} NOT NULL,
  country ${id(2)},
  created_at ${integer} NOT NULL,
  last_seen_at ${integer} NOT NULL,
  can_delete_others ${boolean} NOT NULL,
  can_edit_others ${boolean} NOT NULL,
  credential_counter ${integer} NOT NULL,
  is_trusted ${boolean} NOT NULL,
  revoked_at ${integer} NOT NULL
)${tableSuffix}`,
    `CREATE INDEX IF NOT EXISTS ${past}_user ON ${past} (user_id, revoked_at)`,
    `CREATE INDEX IF NOT EXISTS ${past}_revoked ON ${past} (revoked_at)`,
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
    `CREATE INDEX IF NOT EXISTS ${outbox}_user ON ${outbox} (user_id, position)`,
  ]
}

/** Positions grow with each insert; under the owner's lock that is the order of one user's facts. */
const GROWING_KEY: Readonly<Record<Dialect, string>> = {
  sqlite: 'integer PRIMARY KEY AUTOINCREMENT',
  postgres: 'bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
  mariadb: 'bigint NOT NULL AUTO_INCREMENT PRIMARY KEY',
}
