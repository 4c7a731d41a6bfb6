import { columnTypes, type Migration } from '@quillgate/server/database'
import { deviceTables } from '../tables.ts'

/**
 * How old an address is and how much of it is left, so that `cleanup` finds by an index what it must reduce. The levels
 * are those of `privacy/address-level.ts`; rows of before begin at 0 and find their level in the first cleanup.
 */
export const addAddressAges: Migration = {
  name: '0003_address_ages',
  statements(dialect, prefix) {
    const { device } = deviceTables(prefix)
    const { integer } = columnTypes(dialect)
    // SQLite does not know the words, and undoes a migration that failed.
    const ifNotExists = dialect === 'sqlite' ? '' : ' IF NOT EXISTS'
    const add = (column: string): string =>
      `ALTER TABLE ${device} ADD COLUMN${ifNotExists} ${column} ${integer} NOT NULL DEFAULT 0`
    return [
      add('signed_in_at'),
      add('address_level'),
      add('last_address_level'),
      `UPDATE ${device} SET signed_in_at = proved_at WHERE signed_in_at = 0`,
      `CREATE INDEX IF NOT EXISTS ${device}_address ON ${device} (address_level, signed_in_at)`,
      `CREATE INDEX IF NOT EXISTS ${device}_last_address ON ${device} (last_address_level, last_seen_at)`,
    ]
  },
}
