import type { Migration } from '@quillgate/server/database'
import { deviceTables } from '../tables.ts'

/** Reads pages of all devices in their order, however deep. It does all that the index by time alone did. */
export const indexDeviceActivity: Migration = {
  name: '0010_device_activity',
  statements(dialect, prefix) {
    const { device } = deviceTables(prefix)
    return [
      `CREATE INDEX IF NOT EXISTS ${device}_activity ON ${device} (last_seen_at, uid)`,
      `DROP INDEX IF EXISTS ${device}_seen${dialect === 'mariadb' ? ` ON ${device}` : ''}`,
    ]
  },
}
