import type { Migration } from '@quillgate/server/database'
import { deviceTables } from '../tables.ts'

/** Finds events of one state, such as dead ones, among all that are kept. */
export const indexOutboxStates: Migration = {
  name: '0007_outbox_states',
  statements(_dialect, prefix) {
    const { outbox } = deviceTables(prefix)
    return [`CREATE INDEX IF NOT EXISTS ${outbox}_state ON ${outbox} (state, position)`]
  },
}
