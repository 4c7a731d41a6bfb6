import { columnTypes, type Migration } from '@quillgate/server/database'
import { deviceTables } from '../tables.ts'

/** Until when a second factor is remembered on a device, and the session of the application that it belongs to. */
export const addSecondFactor: Migration = {
  name: '0004_second_factor',
  statements(dialect, prefix) {
    const { device } = deviceTables(prefix)
    const { text, integer } = columnTypes(dialect)
    // SQLite does not know the words, and undoes a migration that failed.
    const add = `ALTER TABLE ${device} ADD COLUMN${dialect === 'sqlite' ? '' : ' IF NOT EXISTS'}`
    return [`${add} second_factor_until ${integer}`, `${add} application_session_id ${text(255)}`]
  },
}
