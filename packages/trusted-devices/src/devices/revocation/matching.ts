import { type Expression, expressionBuilder, type SqlBool } from 'kysely'
import {
  byActivity,
  type DeviceRecord,
  type DeviceRow,
  toDeviceRecord,
} from '../tables/device-record.ts'
import type { DeviceTable } from '../tables/device-table.ts'
import type { DeviceRows } from '../tables/schema.ts'
import type { ParsedFilter } from './filter.ts'

/** One page of a list. */
export interface DevicePosition {
  readonly limit: number
  /** The last device of the page before. */
  readonly after: { readonly lastSeenAt: number; readonly uid: string } | null
}

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

/**
 * Returns devices of all users that a filter means, newest activity first. There may be fewer than
 * `limit` although others follow.
 */
export async function findMatchingPage(
  devices: DeviceTable,
  { condition, network }: ParsedFilter,
  { limit, after }: DevicePosition,
): Promise<FoundPage> {
  const records: DeviceRecord[] = []
  let last = after
  const rowsPerRead = network ? SCAN : limit
  for (let read = 0; read < MOST_READ; read += rowsPerRead) {
    const rows = await devices.rows
      .selectFrom('device')
      .selectAll()
      .where(condition)
      .where(olderThan(last))
      .orderBy('lastSeenAt', 'desc')
      .orderBy('uid', 'desc')
      .limit(rowsPerRead)
      .execute()
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

/**
 * Returns the condition for rows after a position. It starts with a plain comparison, because an
 * index cannot start at an OR.
 */
export function olderThan(after: DevicePosition['after']): Expression<SqlBool> {
  const eb = expressionBuilder<DeviceRows, 'device'>()
  if (after === null) return eb.and([])
  const { lastSeenAt, uid } = after
  return eb.and([
    eb('lastSeenAt', '<=', lastSeenAt),
    eb.or([eb('lastSeenAt', '<', lastSeenAt), eb('uid', '<', uid)]),
  ])
}

/** Counts the devices that a filter means. */
export async function countMatching(devices: DeviceTable, filter: ParsedFilter): Promise<number> {
  if (!filter.network) return devices.count(filter.condition)
  let count = 0
  for await (const rows of scan(devices, filter)) count += rows.length
  return count
}

/** Yields the owners of the devices that a filter means, by id in each batch. One may come again. */
export async function* findMatchingOwners(
  devices: DeviceTable,
  filter: ParsedFilter,
): AsyncGenerator<string> {
  for await (const rows of scan(devices, filter)) {
    yield* [...new Set(rows.map(({ userId }) => userId))].sort()
  }
}

/**
 * Deletes the devices of one user that a filter means at this moment, and returns them. Under the
 * owner's lock.
 */
export async function removeMatching(
  devices: DeviceTable,
  userId: string,
  { condition, network }: ParsedFilter,
): Promise<DeviceRecord[]> {
  const eb = expressionBuilder<DeviceRows, 'device'>()
  const isMeant = eb.and([eb('userId', '=', userId), condition])
  const remove = (which: Expression<SqlBool>): Promise<DeviceRow[]> =>
    devices.rows.deleteFrom('device').where(isMeant).where(which).returningAll().execute()
  if (!network) return (await remove(eb.and([]))).map(toDeviceRecord).sort(byActivity)
  const select = devices.rows.selectFrom('device').select(['address', 'lastAddress']).where(isMeant)
  const inside = [...new Set((await select.execute()).flatMap(addressesOf))].filter(network.covers)
  const removed: DeviceRow[] = []
  for (let start = 0; start < inside.length; start += BATCH) {
    const some = inside.slice(start, start + BATCH)
    const isInside = eb.or([eb('address', 'in', some), eb('lastAddress', 'in', some)])
    removed.push(...(await remove(isInside)))
  }
  return removed.map(toDeviceRecord).sort(byActivity)
}

type ScannedRow = Pick<DeviceRow, 'uid' | 'userId' | 'address' | 'lastAddress'>

/**
 * Reads in the order of the primary key. Each read continues where the last one ended, and none
 * sorts.
 */
async function* scan(
  devices: DeviceTable,
  { condition, network }: ParsedFilter,
): AsyncGenerator<ScannedRow[]> {
  for (let last = ''; ; ) {
    const rows = await devices.rows
      .selectFrom('device')
      .select(['uid', 'userId', 'address', 'lastAddress'])
      .where('uid', '>', last)
      .where(condition)
      .orderBy('uid')
      .limit(SCAN)
      .execute()
    yield rows.filter((row) => matches(network, row))
    if (rows.length < SCAN) return
    last = rows.at(-1)?.uid ?? ''
  }
}

type Addresses = Pick<DeviceRow, 'address' | 'lastAddress'>

function matches(network: ParsedFilter['network'], row: Addresses): boolean {
  return network === null || addressesOf(row).some(network.covers)
}

function addressesOf({ address, lastAddress }: Addresses): string[] {
  return [address, lastAddress].filter((one) => one !== null)
}
