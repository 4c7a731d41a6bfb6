import { columnTypes, type Migration } from '@quillgate/server/database'
import { deviceTables } from '../tables.ts'

/** What was or will be told to users by mail, and what they answered. */
export const createAlerts: Migration = {
  name: '0005_alerts',
  statements(dialect, prefix) {
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
  },
}
