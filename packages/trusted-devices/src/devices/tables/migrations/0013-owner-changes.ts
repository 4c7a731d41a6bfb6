import { columnTypes, type Migration } from '@quillgate/server/database'
import { deviceTables } from '../tables.ts'

/** Counts the changes of a user's devices, so that each of them writes the owner's row. 1: the row was just made. */
export const countOwnerChanges: Migration = {
  name: '0013_owner_changes',
  statements(dialect, prefix) {
    const { owner } = deviceTables(prefix)
    const { integer } = columnTypes(dialect)
    // SQLite has no IF NOT EXISTS for columns. It rolls a failed migration back.
    const add = `ADD COLUMN${dialect === 'sqlite' ? '' : ' IF NOT EXISTS'}`
    return [`ALTER TABLE ${owner} ${add} changes ${integer} NOT NULL DEFAULT 1`]
  },
}
