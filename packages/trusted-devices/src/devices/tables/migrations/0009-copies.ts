import { columnTypes, type Migration } from '@quillgate/server/database'
import { deviceTables } from '../tables.ts'

/** What shows that two parties hold the credential or the refresh token of one device. */
export const addCopies: Migration = {
  name: '0009_copies',
  statements(dialect, prefix) {
    const { device, past } = deviceTables(prefix)
    const { integer } = columnTypes(dialect)
    // SQLite does not know the words, and undoes a migration that failed.
    const add = `ADD COLUMN${dialect === 'sqlite' ? '' : ' IF NOT EXISTS'}`
    return [
      `ALTER TABLE ${device} ${add} credential_confirmed_at ${integer}`,
      `ALTER TABLE ${device} ${add} token_late_counter ${integer}`,
      `ALTER TABLE ${device} ${add} token_late_count ${integer}`,
      `ALTER TABLE ${past} ${add} credential_confirmed_at ${integer}`,
    ]
  },
}
