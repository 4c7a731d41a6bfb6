import { columnTypes, type Migration } from '@quillgate/server/database'
import { deviceTables } from '../tables.ts'

/** The application's session of a revoked device, as a hash: such a session gets no other device. */
export const addPastSessions: Migration = {
  name: '0011_sessions_of_past_devices',
  statements(dialect, prefix) {
    const { past } = deviceTables(prefix)
    const add = dialect === 'sqlite' ? 'ADD COLUMN' : 'ADD COLUMN IF NOT EXISTS'
    return [`ALTER TABLE ${past} ${add} session_hash ${columnTypes(dialect).id(43)}`]
  },
}
