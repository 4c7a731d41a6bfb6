import { toNumber } from '@quillgate/server/database'
import { affectedBy, type DeviceDatabase, rowsOf } from '../devices/tables/device-database.ts'
import type { AlertDetails } from './alert-event.ts'
import type { AlertTable } from './alert-table.ts'

const BATCH = 200
const WITH_CITY = '%"city":"%' // Within a text of the JSON these quotes would be escaped.

/** The statements that take cities out of old alerts. Nothing else changes details, so they need no lock. */
export function createAlertCities({
  sql,
  tables: { alert },
}: DeviceDatabase): Pick<AlertTable, 'forgetCities' | 'countCities'> {
  return {
    async forgetCities(executor, before) {
      let forgotten = 0
      while (true) {
        const rows = await rowsOf(
          executor,
          sql`SELECT event_id, details FROM ${alert} WHERE happened_at < ${before} AND details LIKE ${WITH_CITY}
            LIMIT ${BATCH}`,
        )
        for (const row of rows) {
          const details = { ...(JSON.parse(String(row['details'])) as AlertDetails), city: null }
          forgotten += await affectedBy(
            executor,
            sql`UPDATE ${alert} SET details = ${JSON.stringify(details)} WHERE event_id = ${String(row['event_id'])}`,
          )
        }
        if (rows.length < BATCH) return forgotten
      }
    },
    async countCities(executor, before) {
      const [row] = await rowsOf(
        executor,
        sql`SELECT COUNT(*) AS found FROM ${alert} WHERE happened_at < ${before} AND details LIKE ${WITH_CITY}`,
      )
      return toNumber(row?.['found'])
    },
  }
}
