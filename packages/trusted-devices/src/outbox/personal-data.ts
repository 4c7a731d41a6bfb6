import { batchesOf, type SqlExecutor } from '@quillgate/server/database'
import type { JobRow } from '@quillgate/server/jobs'
import type { DeviceEvent } from '../devices/device-event.ts'
import type { DeviceDatabase } from '../devices/tables/device-database.ts'
import { TrustedDevice, withoutDetails } from '../devices/tables/trusted-device.ts'
import { type AddressCutoffs, networkOf } from '../privacy/address-policy.ts'
import type { PersonalData } from '../privacy/personal-data.ts'
import { writeEvent } from './event-json.ts'
import { eventOf } from './outbox-log.ts'

const BATCH = 200

/**
 * Returns the personal data in the outbox. Only pending and dead events contain personal data. When
 * a user is erased, pending `revoked` and `compromised` events stay until they are delivered. After
 * the erasure, they contain only the ids, times and permissions of their devices.
 */
export function outboxPersonalData({ outbox }: Pick<DeviceDatabase, 'outbox'>): PersonalData {
  return {
    name: 'outbox',
    async export(tx, userId) {
      return (await jobsOf(outbox, tx, userId)).map((row) => ({
        event_id: row.id,
        signal: row.kind,
        happened_at: new Date(row.createdAt).toISOString(),
        state: row.state,
        event: toJson(eventOf(row)),
      }))
    },
    async erase(tx, userId) {
      const gone: number[] = []
      for (const row of await jobsOf(outbox, tx, userId)) {
        const event = row.state === 'pending' ? eventOf(row) : null
        if (event?.kind === 'revoked' || event?.kind === 'compromised') {
          await writePayload(outbox, tx, row.position, {
            ...event,
            device: withoutDetails(event.device),
          })
        } else gone.push(row.position)
      }
      for (const batch of batchesOf(gone))
        await outbox.on(tx).deleteFrom('job').where('position', 'in', batch).execute()
    },
    reduceAddresses: (executor, cutoffs) => reduceOld(outbox, executor, cutoffs),
  }
}

type OutboxTable = DeviceDatabase['outbox']

function jobsOf(outbox: OutboxTable, tx: SqlExecutor, userId: string): Promise<JobRow[]> {
  const jobs = outbox.on(tx).selectFrom('job').selectAll()
  return jobs.where('jobKey', '=', userId).orderBy('position').execute()
}

async function writePayload(
  outbox: OutboxTable,
  tx: SqlExecutor,
  position: number,
  event: DeviceEvent,
): Promise<number> {
  const update = outbox
    .on(tx)
    .updateTable('job')
    .set({ payload: writeEvent(event), lastError: null })
    .where('position', '=', position)
    .where('state', '<>', 'delivered')
  return Number((await update.executeTakeFirst()).numUpdatedRows)
}

async function reduceOld(
  outbox: OutboxTable,
  executor: SqlExecutor,
  cutoffs: AddressCutoffs,
): Promise<number> {
  const before = Math.max(cutoffs.shorten, cutoffs.remove)
  const old = outbox
    .on(executor)
    .selectFrom('job')
    .selectAll()
    .where('state', 'in', ['pending', 'dead'])
    .where('createdAt', '<', before)
    .orderBy('position')
    .limit(BATCH)
  let count = 0
  let rows = await old.execute()
  while (rows.length > 0) {
    for (const row of rows) {
      const event = eventOf(row)
      const reduced = event && reduceEvent(event, row.createdAt, cutoffs)
      if (reduced) count += await writePayload(outbox, executor, row.position, reduced)
    }
    rows = await old.where('position', '>', rows.at(-1)?.position ?? 0).execute()
  }
  return count
}

/**
 * Returns the JSON of an event. Leaves out the session id, because it may give access to the
 * session.
 */
function toJson(event: DeviceEvent | null): unknown {
  return event && JSON.parse(JSON.stringify({ ...event, sessionId: undefined }))
}

/** Returns the event with shortened or removed addresses, or null if nothing has to change. */
function reduceEvent(
  event: DeviceEvent,
  at: number,
  { shorten, remove }: AddressCutoffs,
): DeviceEvent | null {
  const { device } = event
  const keep = (address: string | null): string | null =>
    at < remove ? null : at < shorten ? networkOf(address) : address
  const [address, lastAddress] = [keep(device.address), keep(device.lastAddress)]
  const city = at < remove ? null : device.city
  if (address === device.address && lastAddress === device.lastAddress && city === device.city)
    return null
  return { ...event, device: new TrustedDevice({ ...device, address, lastAddress, city }) }
}
