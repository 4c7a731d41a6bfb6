import { columnTypes, type Migration } from '@quillgate/server/database'
import { deviceTables } from '../tables.ts'

/** Countries that a user's devices were in, for the setting `countryHistory`. */
export const createCountries: Migration = {
  name: '0006_countries',
  statements(dialect, prefix) {
    const { country } = deviceTables(prefix)
    const { id, text, integer, tableSuffix } = columnTypes(dialect)
    return [
      `CREATE TABLE IF NOT EXISTS ${country} (
  user_id ${text(255)} NOT NULL,
  country ${id(2)} NOT NULL,
  seen_at ${integer} NOT NULL,
  PRIMARY KEY (user_id, country)
)${tableSuffix}`,
      `CREATE INDEX IF NOT EXISTS ${country}_seen ON ${country} (seen_at)`,
    ]
  },
}
