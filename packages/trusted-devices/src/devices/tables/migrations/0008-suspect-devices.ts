import { columnTypes, type Migration } from '@quillgate/server/database'
import { deviceTables } from '../tables.ts'

/** Whether a device is, or was, a stranger's as far as anybody knows (`suspiciousDevicePermissions: 'none'`). */
export const addSuspectDevices: Migration = {
  name: '0008_suspect_devices',
  statements(dialect, prefix) {
    const { device, past } = deviceTables(prefix)
    const { boolean } = columnTypes(dialect)
    // SQLite does not know the words, and undoes a migration that failed.
    const add = dialect === 'sqlite' ? 'ADD COLUMN' : 'ADD COLUMN IF NOT EXISTS'
    const initial = dialect === 'sqlite' ? '0' : 'FALSE'
    return [device, past].map(
      (table) => `ALTER TABLE ${table} ${add} is_suspect ${boolean} NOT NULL DEFAULT ${initial}`,
    )
  },
}
