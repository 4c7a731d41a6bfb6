import { columnTypes, type Dialect, type Migration } from '@quillgate/server/database'
import { deviceTables } from '../tables.ts'

/** Makes room for countries that are texts of a look-up, and no codes of two letters. */
export const widenCountries: Migration = {
  name: '0012_country_names',
  statements(dialect, prefix) {
    const { device, past, country } = deviceTables(prefix)
    return [
      ...widen(dialect, device, ''),
      ...widen(dialect, past, ''),
      ...widen(dialect, country, ' NOT NULL'),
    ]
  },
}

function widen(dialect: Dialect, table: string, constraint: string): string[] {
  const type = columnTypes(dialect).text(100)
  if (dialect === 'postgres') return [`ALTER TABLE ${table} ALTER COLUMN country TYPE ${type}`]
  if (dialect === 'mariadb') return [`ALTER TABLE ${table} MODIFY country ${type}${constraint}`]
  return [] // SQLite does not limit the length of a text.
}
