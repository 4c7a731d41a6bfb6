import type { Migration } from '@quillgate/server/database'
import { deviceTables } from '../tables.ts'

/** Finds what one user still has to be told, however much they were told before. */
export const indexOutboxQueues: Migration = {
  name: '0002_outbox_queue',
  statements(_dialect, prefix) {
    const { outbox } = deviceTables(prefix)
    return [
      `CREATE INDEX IF NOT EXISTS ${outbox}_queue ON ${outbox} (user_id, state, destination, position)`,
    ]
  },
}
