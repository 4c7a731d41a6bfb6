import {
  list,
  part,
  type Row,
  type SqlExecutor,
  type SqlFragment,
  toNumber,
} from '@quillgate/server/database'
import { type DeviceDatabase, rowsOf } from '../tables/device-database.ts'
import { byActivity, type DeviceRecord, toDeviceRecord } from '../tables/device-record.ts'
import { type DevicePosition, olderThan } from '../tables/device-table.ts'
import type { ParsedFilter } from './filter.ts'

/** A page of devices, and where the next one begins. */
export interface FoundPage {
  readonly records: readonly DeviceRecord[]
  /** The last device that was looked at; null when there are no more. */
  readonly last: DevicePosition['after']
}

const SCAN = 1000 // Rows of one read.
const BATCH = 400 // Addresses in one statement, twice: below every engine's limit of parameters.
/** Rows that one page of a list may look at: a network is not found by an index. */
const MOST_READ = 20 * SCAN

/** Devices of all users that a filter means, newest activity first. May be fewer than `limit` and not the last. */
export async function findMatchingPage(
  { sql, tables: { device }, executor }: DeviceDatabase,
  { condition, network }: ParsedFilter,
  { limit, after }: DevicePosition,
): Promise<FoundPage> {
  const records: DeviceRecord[] = []
  let last = after
  const rowsPerRead = network ? SCAN : limit
  for (let read = 0; read < MOST_READ; read += rowsPerRead) {
    const rows = await rowsOf(
      executor,
      sql`SELECT * FROM ${device} WHERE ${condition} AND ${olderThan(last)}
        ORDER BY last_seen_at DESC, uid DESC LIMIT ${rowsPerRead}`,
    )
    for (const row of rows) {
      const record = toDeviceRecord(row)
      last = { lastSeenAt: record.device.lastSeenAt.getTime(), uid: record.device.uid }
      if (matches(network, row)) records.push(record)
      if (records.length === limit) return { records, last }
    }
    if (rows.length < rowsPerRead) return { records, last: null }
  }
  return { records, last }
}

/** How many devices a filter means. */
export async function countMatching(db: DeviceDatabase, filter: ParsedFilter): Promise<number> {
  const { sql, tables, executor } = db
  if (!filter.network) {
    const [row] = await rowsOf(
      executor,
      sql`SELECT COUNT(*) AS found FROM ${tables.device} WHERE ${filter.condition}`,
    )
    return toNumber(row?.['found'])
  }
  let count = 0
  for await (const rows of scan(db, filter)) count += rows.length
  return count
}

/**
 * The owners of the devices that a filter means. One who is given back has their devices revoked meanwhile; one of whom
 * some are left may come again.
 */
export async function* findMatchingOwners(
  db: DeviceDatabase,
  filter: ParsedFilter,
): AsyncGenerator<string> {
  for await (const rows of scan(db, filter)) {
    yield* new Set(rows.map((row) => String(row['user_id'])))
  }
}

/** Deletes the devices of one user that a filter means at this moment, and returns them. Under the owner's lock. */
export async function removeMatching(
  { sql, tables: { device } }: DeviceDatabase,
  tx: SqlExecutor,
  userId: string,
  { condition, network }: ParsedFilter,
): Promise<DeviceRecord[]> {
  const remove = (and: SqlFragment): Promise<Row[]> =>
    rowsOf(
      tx,
      sql`DELETE FROM ${device} WHERE user_id = ${userId} AND ${condition} AND ${and} RETURNING *`,
    )
  if (!network) return (await remove(part`1 = 1`)).map(toDeviceRecord).sort(byActivity)
  const rows = await rowsOf(
    tx,
    sql`SELECT address, last_address FROM ${device} WHERE user_id = ${userId} AND ${condition}`,
  )
  const inside = [...new Set(rows.flatMap(addressesOf))].filter(network.covers)
  const removed: Row[] = []
  for (let start = 0; start < inside.length; start += BATCH) {
    const batch = list(inside.slice(start, start + BATCH))
    removed.push(...(await remove(part`(address IN (${batch}) OR last_address IN (${batch}))`)))
  }
  return removed.map(toDeviceRecord).sort(byActivity)
}

/** Reads in the order of the primary key. Each read continues where the last one ended, and none sorts. */
async function* scan(
  { sql, tables: { device }, executor }: DeviceDatabase,
  { condition, network }: ParsedFilter,
): AsyncGenerator<Row[]> {
  for (let last = ''; ; ) {
    const rows = await rowsOf(
      executor,
      sql`SELECT uid, user_id, address, last_address FROM ${device} WHERE uid > ${last} AND ${condition}
        ORDER BY uid LIMIT ${SCAN}`,
    )
    yield rows.filter((row) => matches(network, row))
    if (rows.length < SCAN) return
    last = String(rows.at(-1)?.['uid'])
  }
}

function matches(network: ParsedFilter['network'], row: Row): boolean {
  return network === null || addressesOf(row).some(network.covers)
}

function addressesOf(row: Row): string[] {
  return [row['address'], row['last_address']].filter((address) => typeof address === 'string')
}
